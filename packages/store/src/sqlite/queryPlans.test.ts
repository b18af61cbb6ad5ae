import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { classifyKeyword, type ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import {
  type AttestationFilter,
  everyAttestation,
  everyDay,
  type SchemaFilter,
  type SliceRequest,
} from '@attestry/core/index/indexQueries.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import { addresses, generateBlocks, hashOf, schemaId, steps } from '../testing/generatedChain.ts'
import { attestationFilters, filteredChainIds, schemaFilters } from '../testing/queryFilters.ts'
import { fillStore } from '../testing/storeFactory.ts'
import { exportLines } from '../transfer/exportLines.ts'
import { findPresent } from '../reading/findPresent.ts'
import { findTransaction } from '../reading/findTransaction.ts'
import { listActivity, listProtocolDays, listTopAttesters, listTotals } from '../reading/activity.ts'
import { lookupsOf, openConnection, type Connection } from './connection.ts'
import {
  listAttestationsOfAddress,
  listAttestationSummaries,
  listByRank,
} from '../reading/listAttestations.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { SchemaReference } from '@attestry/core/index/storedRecords.ts'
import { findHoldings } from '../reading/findHoldings.ts'
import { listSchemasByRank, listTopSchemas } from '../reading/listSchemas.ts'
import { holdingCondition } from '../reading/holdingCondition.ts'
import { sqliteDialect } from './dialect.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'
import { listAttestationsByKeyword, searchAttestations } from '../reading/keywordAttestations.ts'
import { findSchemasByKeyword } from '../reading/keywordSchemas.ts'
import { createPace } from '../reading/createPace.ts'
import type { Effort } from '../reading/tallyRows.ts'
import { createGroups } from '../reading/groupAttestations.ts'
import { createQueryCounts, type CountRuns } from '../reading/queryCounts.ts'
import type { ReadSession } from '../reading/session.ts'
import { createReadSession } from './readSession.ts'
import { findAttestations } from '../reading/storedAttestation.ts'
import { findSchemas } from '../reading/storedSchema.ts'
import { sliceAttestations } from '../reading/sliceAttestations.ts'
import { sliceSchemas } from '../reading/sliceSchemas.ts'
import { decodeTestPayload, testFieldIndexing } from '../testing/testPayloads.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-plans-'))
const path = join(folder, 'index.db')
const fields = { detail: true, schema: true }

beforeAll(async () => {
  migrateSqlite(path, { rankThreshold: 3 })
  const writer = openSqliteWriter(path, { fields: testFieldIndexing })
  const lives = fc.sample(steps(200), { numRuns: 2, seed: 11 })
  await fillStore(
    writer,
    new Map(filteredChainIds.map((id, index) => [id, generateBlocks(id, [], lives[index] ?? [], 'a')])),
  )
  await writer.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const atOnce = { rowsMax: Infinity, pace: null }

const place = fc.record({
  timestamp: fc.constantFrom(1_700_000_000, 1_700_005_000),
  chainId: fc.constantFrom(1, 5, 137),
  position: fc.nat(),
})

function requests<Filter>(filters: fc.Arbitrary<Filter>): fc.Arbitrary<SliceRequest<Filter>> {
  return fc.record({
    filter: filters,
    order: fc.constantFrom('newestFirst', 'oldestFirst'),
    after: fc.option(place, { nil: null }),
    limit: fc.constantFrom(1, 10),
  })
}

test('no page of a short beginning of ids does either', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const session = createReadSession(connection, 'whole')
  session.begin()
  for (const text of ['0x1', '0xab']) {
    const keyword = keywordOf(text)
    await listAttestationsByKeyword(session, { keyword, schema: null, page: 1, size: 10, fields }, atOnce)
    await searchAttestations(session, keyword, 10, atOnce)
  }
  const plans = [...texts].map((sql) => ({ sql, plan: planOf(connection, sql) }))
  const walks = plans.filter(({ sql }) => sql.includes('substr(a.local_id, 1, 2) ='))
  expect(walks).toHaveLength(4)
  for (const { plan } of walks) {
    expect(plan.join('\n')).toMatch(/USING (COVERING )?INDEX attestation_by_id_group \(<expr>=\?\)/)
  }
  // `m` is a page of keys.
  const isBad = (line: string) => sorts(line) || (line.startsWith('SCAN') && line !== 'SCAN m')
  expect(walks.filter(({ plan }) => plan.some(isBad))).toEqual([])
  session.close()
})

test('no page of the schemas that an address registered or resolves does either, and none reads rows to count them', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const session = createReadSession(connection, 'whole')
  session.begin()
  for (const address of addresses) {
    const keyword = keywordOf(address)
    await findSchemasByKeyword(session, keyword, 'best', { page: 1, size: 10 })
    await findSchemasByKeyword(session, keyword, 'newest', { page: 2, size: 2 })
  }
  const plans = [...texts].map((sql) => ({ sql, plan: planOf(connection, sql) }))
  const lists = plans.filter(({ sql }) => /resolver_id <> [es]\.registrant_id/.test(sql) && !isSmall(sql))
  // The count, the first page and any later one.
  expect(lists).toHaveLength(3)
  for (const { plan } of lists) expect(plan.join('\n')).toContain('schema_by_other_resolver (resolver_id=?')
  const isBad = (line: string) => sorts(line) || (line.startsWith('SCAN') && line !== 'SCAN m')
  expect(lists.filter(({ plan }) => plan.some(isBad))).toEqual([])
  session.close()
})

test('a keyword that would have too many rows looked at one by one is refused, and one that is counted is not', async () => {
  const schema = { chainId: 137, localId: schemaId(0) }
  const ask = async (text: string, under: typeof schema | null, lookupsMax: number) => {
    const connection = openConnection(path, { readOnly: true, cacheMib: 8 })
    const session = createReadSession(connection, 'whole', lookupsMax)
    session.begin()
    try {
      const keyword = keywordOf(text)
      const query = { keyword, schema: under, page: 1, size: 10, fields }
      return (await listAttestationsByKeyword(session, query, atOnce))?.total
    } finally {
      session.close()
    }
  }
  expect(await ask('0x2', null, 0)).toBeGreaterThan(0)
  expect(await ask('Name', null, 0)).toBeGreaterThan(0)
  for (const text of ['0x2', 'Name']) {
    expect(await ask(text, schema, 1_000)).toBeLessThan(1_000)
    await expect(ask(text, schema, 0)).rejects.toThrow(StoreTooMuchWorkError)
  }
})

test('what a keyword finds in steps is what it finds at once, and no step reads more than its rows', async () => {
  const ids = openConnection(path, { readOnly: true, cacheMib: 8 })
  const [local = '', other = ''] = (
    await ids.all<[string]>('SELECT local_id FROM attestation ORDER BY id LIMIT 2')
  ).map(([localId]) => `0x${localId}`)
  ids.close()
  const texts = new Set<string>()
  let longest = 0
  for (const text of [
    local,
    local.slice(0, 6),
    '0xa',
    other.slice(0, 10),
    'Name',
    '7',
    addresses[0] ?? '',
    '0xzz',
  ])
    for (const schema of [null, { chainId: 137, localId: schemaId(0) }, { chainId: 1, localId: schemaId(1) }])
      for (const page of [1, 2]) {
        const ask = async (effort: Effort) => {
          const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
          const session = createReadSession(connection, 'whole')
          session.begin()
          try {
            const keyword = keywordOf(text)
            const query = { keyword, schema, page, size: 3, fields }
            return [
              await listAttestationsByKeyword(session, query, effort),
              schema === null ? await searchOnce(path, keyword, effort) : null,
            ]
          } finally {
            session.close()
          }
        }
        let turns = 0
        const next = () => {
          turns += 1
          return Promise.resolve(2)
        }
        const inSteps = { rowsMax: Infinity, pace: { isShared: true, next, goOn: () => undefined } }
        expect(await ask(inSteps), `${text} on page ${page}`).toEqual(await ask(atOnce))
        longest = Math.max(longest, turns)
      }
  expect(longest).toBeGreaterThan(10)
  const connection = openConnection(path, { readOnly: true, cacheMib: 8 })
  const ends = [...texts].filter((sql) => sql.includes('LIMIT 1 OFFSET +?'))
  expect(ends).toHaveLength(3)
  const parts = [...texts].flatMap(
    (sql) => /INSERT INTO .* FROM \((SELECT id FROM .*)\) AS m /.exec(sql)?.[1] ?? [],
  )
  expect(parts.length).toBeGreaterThan(4)
  const isBad = (line: string) => sorts(line) || line.startsWith('SCAN')
  expect([...ends, ...parts].filter((sql) => planOf(connection, sql).some(isBad))).toEqual([])
  connection.close()
})

async function searchOnce(from: string, keyword: ReturnType<typeof keywordOf>, effort: Effort) {
  const session = createReadSession(openConnection(from, { readOnly: true, cacheMib: 8 }), 'whole')
  session.begin()
  try {
    return await searchAttestations(session, keyword, 5, effort)
  } finally {
    session.close()
  }
}

const decodeNothing: DecodePayload = () => ({ kind: 'undecodable', reason: 'nothing is decoded here' })

test('holders are found in steps by indexes, without scans; a search that would look at too much is refused', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const [longest] = await connection.all<
    [address: Uint8Array, chainId: number, localId: string, count: number]
  >(
    'SELECT d.bytes, s.chain_id, s.local_id, count(*) FROM received_by_schema r JOIN address d ON d.id = r.address_id ' +
      'JOIN schema s ON s.id = r.schema_id WHERE r.is_self = 0 GROUP BY 1, 2, 3 ORDER BY 4 DESC LIMIT 1',
  )
  const [bytes = new Uint8Array(), chainId = 0, localId = '', count = 0] = longest ?? []
  expect(count).toBeGreaterThan(2)
  texts.clear()
  const address = addressOfBytes(bytes)
  const schema = { chainId, localId: `0x${localId}` as LocalId }
  const request = {
    addresses: [address],
    schema,
    role: 'recipient',
    attesters: null,
    fields: [],
    attestedFrom: null,
    attestersMin: 1,
    valid: { kind: 'now', at: 2 ** 40 },
  } as const
  const session = { connection, schemas: createRecentMap<number, SchemaReference>(16), cut: null }
  let refused = 0
  for (const attester of addresses) {
    const asked = { ...request, attesters: [attester] }
    const expected = await findHoldings(session, asked, decodeNothing, atOnce)
    expect(
      await findHoldings(session, asked, decodeNothing, atOnce, { firstStep: 1, rowsMax: 1_000 }),
    ).toEqual(expected)
    let turns = 0
    const next = () => {
      turns += 1
      return Promise.resolve(1)
    }
    const inSteps = { rowsMax: 1_000, pace: { isShared: true, next, goOn: () => undefined } }
    const limits = { firstStep: 1, rowsMax: 1_000 }
    expect(await findHoldings(session, asked, decodeNothing, inSteps, limits)).toEqual(expected)
    expect(turns).toBeGreaterThan(1)
    if (expected?.[0]?.length !== 0) continue
    expect(await findHoldings(session, asked, decodeNothing, { rowsMax: 1, pace: null }, limits)).toBeNull()
    refused += 1
    const [limited] =
      (await findHoldings(session, asked, decodeNothing, atOnce, { firstStep: 1, rowsMax: 1 })) ?? []
    expect(limited).toBeNull()
  }
  expect(refused).toBeGreaterThan(0)
  await findHoldings(session, request, decodeNothing, atOnce)
  await findHoldings(session, { ...request, role: 'attester' }, decodeNothing, atOnce)
  const asOf = { ...request, valid: { kind: 'block', at: 2 ** 40, block: 7 } } as const
  await findHoldings(session, asOf, decodeNothing, atOnce)
  const plans = [...texts].map((sql) => ({ sql, plan: planOf(connection, sql) }))
  expect(plans.length).toBeGreaterThan(5)
  const isBad = (line: string) => /^SCAN (a|r|d|attestation|address|received)/.test(line)
  expect(plans.filter(({ plan }) => plan.some(isBad))).toEqual([])
  connection.close()
})

test('what a transaction did is found by three indexes', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const session = createReadSession(connection, 'whole')
  session.begin()
  texts.clear()
  const hash = hashOf('any')
  await findTransaction(session, hash, null)
  await findPresent(connection, [{ kind: 'transaction', hash }])
  const indexes = [...texts].map((sql) =>
    [
      ...planOf(connection, sql)
        .join(' ')
        .matchAll(/(?:SCAN|SEARCH) . USING INDEX (\w+)/g),
    ].map(([, name]) => name),
  )
  const [attestations, schemas, revoking] = [
    'attestation_by_transaction',
    'schema_by_transaction',
    'attestation_by_revoking',
  ]
  // The context of a schema of Verax.
  const context = 'metadata_by_subject'
  expect(indexes).toEqual([[schemas, context], [attestations], [revoking], [attestations, schemas, revoking]])
  session.close()
})

test('a condition on what an account holds is refused where too much would have to be looked at', async () => {
  const connection = openConnection(path, { readOnly: true, cacheMib: 8 })
  const pairs = await connection.all<[addressId: number, schemaId: number]>(
    'SELECT DISTINCT address_id, schema_id FROM received_by_schema',
  )
  const [attester] = (await connection.get<[number]>('SELECT max(id) + 1 FROM address')) ?? []
  const ask = async (addressId: number, schemaId: number, attesterId: number | null, looksMax: number) => {
    const holding = {
      schemaId,
      attesterId,
      hops: 1,
      valid: { kind: 'now', at: 2 ** 40 },
      cut: null,
      looksMax,
    } as const
    const { sql, parameters } = holdingCondition(sqliteDialect, String(addressId), holding)
    return (await connection.get<[number]>(`SELECT ${sql}`, ...parameters))?.[0]
  }
  const answers = new Map<number | undefined, number>()
  for (const [addressId, schemaId] of pairs) {
    const whole = await ask(addressId, schemaId, null, 1_000)
    answers.set(whole, (answers.get(whole) ?? 0) + 1)
    const isRefused = await ask(addressId, schemaId, null, 1).then(
      () => false,
      (error: unknown) => error instanceof StoreTooMuchWorkError,
    )
    expect(isRefused || whole === 1).toBe(true)
    expect(await ask(addressId, schemaId, attester ?? 0, 1_000)).toBe(0)
    await expect(ask(addressId, schemaId, attester ?? 0, 1)).rejects.toThrow(StoreTooMuchWorkError)
  }
  expect(Math.min(answers.get(0) ?? 0, answers.get(1) ?? 0)).toBeGreaterThan(0)
  connection.close()
})

test('an export sorts nothing, which SQLite would do in memory', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  let lines = 0
  for await (const _ of exportLines(connection, {})) lines += 1
  expect(lines).toBeGreaterThan(100)
  const plans = [...texts].map((sql) => ({ sql, plan: planOf(connection, sql) }))
  expect(plans.length).toBeGreaterThan(8)
  expect(plans.filter(({ plan }) => plan.some(sorts))).toEqual([])
  connection.close()
})

test('groups by recipient of everything read no attestations but those with recipients that are no addresses', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const session = createReadSession(connection, 'whole')
  session.begin()
  const counted = `SELECT count(*), count(*) FILTER (WHERE ${sqliteDialect.hasOtherRecipients('a')}) FROM attestation a`
  const [all = 0, others = 0] = (await connection.get<[number, number]>(counted)) ?? []
  expect(others).toBeGreaterThan(10)
  expect(others).toBeLessThan(all / 2)
  texts.clear()
  for (const atOnceMax of [1, others]) {
    const budget = { rowsMax: others + 1, durationMaxMs: 10_000, atOnceMax }
    const { groupAttestations } = createGroups(countRuns(session), budget, decodeTestPayload)
    const groups = await groupAttestations({ by: 'recipient', filter: everyAttestation, page: 1, size: 100 })
    expect(groups.rows.map(({ key }) => key)).toContain('0xab')
  }
  const walks = [...texts]
    .filter((sql) => sql.includes('attestation a'))
    .map((sql) => planOf(connection, sql))
  // At once; and in steps the end of the first step, that of a later one, and the rows of three.
  expect(walks.length).toBeGreaterThan(4)
  for (const plan of walks) {
    expect(plan.join('\n')).toMatch(/(SCAN|SEARCH) a USING (COVERING )?INDEX attestation_other_recipients/)
  }
  session.close()
})

test('no filter makes SQLite read a table from end to end, or sort what it reads', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const session = createReadSession(connection, 'whole')
  session.begin()
  const counts = createQueryCounts(
    countRuns(session),
    { rowsMax: 4_000, durationMaxMs: 1_000, atOnceMax: 4_000 },
    decodeTestPayload,
  )
  const property = fc.asyncProperty(
    requests<AttestationFilter>(attestationFilters),
    requests<SchemaFilter>(schemaFilters),
    async (attestations, schemas) => {
      await sliceAttestations(session, attestations, fields, 5, decodeTestPayload)
      await sliceSchemas(session, schemas, 5)
      await counts.countAttestations(attestations.filter)
      await counts.countSchemas(schemas.filter)
    },
  )
  await fc.assert(property, { numRuns: 2_000, seed: 5 })
  const keys = filteredChainIds.map((chainId) => ({ chainId, localId: '0x1' }) as never)
  await findAttestations(session, keys, fields)
  await findSchemas(connection, keys)
  for (const key of keys) await listTopAttesters(session, key, 10)
  for (const address of addresses) await listActivity(session, { kind: 'address', address }, everyDay)
  await listActivity(session, { kind: 'everything' }, everyDay)
  await listTotals(connection)
  await listProtocolDays(connection, everyDay)

  expect(texts.size).toBeGreaterThan(500)
  const plans = [...texts].map((sql) => ({ sql, plan: planOf(connection, sql) }))
  expect([...texts].filter(isPlannedByBound)).toEqual([])
  expect(plans.filter(({ sql, plan }) => plan.some((line) => readsWhole(sql, line)))).toEqual([])
  expect(plans.filter(({ sql, plan }) => !isSmall(sql) && plan.some(sorts))).toEqual([])
  session.close()
})

test('no bound of rows makes SQLite prepare a statement again', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const session = createReadSession(connection, 'whole')
  session.begin()
  const page = { page: 1, size: 10 }
  const keyword = keywordOf('0x1')
  const schema = { chainId: 1, localId: schemaId(1) }
  const who = { path: ['who'], operator: 'equals', values: [addresses[0] ?? ''] } as const
  for (const narrowed of [{}, { schema }, { attester: addresses[0] ?? null, schema }, { fields: [who] }]) {
    const filter: AttestationFilter = { ...everyAttestation, ...narrowed }
    expect(await listByRank(session, filter, page, fields)).not.toBeNull()
  }
  expect(await listByRank(session, { ...everyAttestation, revoked: true }, page, fields)).toBeNull()
  await listAttestationsByKeyword(session, { schema: null, keyword, fields, ...page }, atOnce)
  await listAttestationSummaries(session, schema, page)
  await listSchemasByRank(session, null, page)
  await findSchemasByKeyword(session, keyword, 'newest', page)
  await listTopSchemas(session, 10)
  for (const address of addresses) {
    const query = { address, role: 'either', chainId: null, schema: null } as const
    await listAttestationsOfAddress(session, query, page, fields)
  }
  await listTopAttesters(session, schema, 10)
  session.close()

  expect([...texts].filter((sql) => sql.includes('LIMIT +?')).length).toBeGreaterThan(5)
  expect([...texts].filter(isPlannedByBound)).toEqual([])
})

/** Counts in one session, long ones in the steps of a shared thread. */
function countRuns(session: ReadSession): CountRuns {
  return {
    run: (work) => work(session),
    countLong: async (work, budget) => {
      const thread = { turn: () => Promise.resolve(), isClosed: () => false }
      const counted = await work(session, { rowsMax: budget.rowsMax, pace: createPace(budget, thread) })
      if (counted === null) throw new Error('no list is so long')
      return counted.result
    },
  }
}

function keywordOf(text: string): ClassifiedKeyword {
  const keyword = classifyKeyword(text)
  if (keyword === null) throw new Error('it is a keyword')
  return keyword
}

/**
 * `m`, `n` and subqueries hold what was read by an index before; chains and their protocols are few; JSON holds what
 * was asked for.
 */
const small = /^SCAN (m|chain|protocol_count|index_state|\(subquery-\d+\)|n|(k|w|w EXISTS) VIRTUAL TABLE .*)$/

/** Whether a step reads a table or an index from one end to the other though it could know better. */
function readsWhole(sql: string, line: string): boolean {
  if (!line.startsWith('SCAN ') || small.test(line)) return false
  const isWalk = line.includes(' USING INDEX ') || line.includes(' USING COVERING INDEX ')
  // Holdings, the rows `r`, have a range of their own.
  const hasRange = /(?<!\br\.attest)_timestamp(, [^)]*\))? [<>]/.test(sql)
  return !isWalk || hasRange
}

/** Whether SQLite looks at the value of a bound of rows, and plans anew for another one. */
function isPlannedByBound(sql: string): boolean {
  return /(LIMIT|OFFSET) \?/.test(sql)
}

function sorts(line: string): boolean {
  return line.includes('TEMP B-TREE')
}

/** Days and ranges of lists that are within the threshold, and what a page of a tree's node holds. */
function isSmall(sql: string): boolean {
  return / GROUP BY /.test(sql)
}

function planOf(connection: Connection, sql: string): string[] {
  return connection
    .statement<[number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => row[3])
}

/** The connection, with the texts of all statements written down. */
function recording(connection: Connection, texts: Set<string>): Connection {
  const record = (sql: string) => {
    if (/^\s*(SELECT|WITH|INSERT)/.test(sql)) texts.add(sql)
    return sql
  }
  const statement: Connection['statement'] = (sql) => connection.statement(record(sql))
  return {
    ...connection,
    get: (sql, ...parameters) => connection.get(record(sql), ...parameters),
    all: (sql, ...parameters) => connection.all(record(sql), ...parameters),
    batches: (sql, ...parameters) => connection.batches(record(sql), ...parameters),
    statement,
    ...lookupsOf(statement),
  }
}
