import { allFields } from '../harness/fieldIndexing.ts'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import type { ChainDigest } from '@attestry/core/index/storedRecords.ts'
import { newestLayout } from '@attestry/store/layout/layoutSteps.ts'
import { openSqliteAudit } from '@attestry/store/sqlite/openSqliteAudit.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { sqliteLayout } from '@attestry/store/sqlite/migrations.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { exportIndex, indexChain, verifyDatabase, type ServedChain } from '../verify/verifiedIndex.ts'
import { fixtureHead, fixtureRankThreshold, fixtures, unpackFixture } from './fixtures.ts'
import { laterLayout } from './laterLayout.ts'
import { loadRecordedChain, serveRecordedChain } from './recordedChain.ts'
import { projections } from '../harness/projections.ts'
import { isNightly } from '../harness/nightly.ts'

const recorded = loadRecordedChain()
const lastBlock = recorded.blocks.length - 1
let folder = ''
/** The chain up to the checkpoint of the fixtures, and up to its end; export and answers of a fresh index of each. */
let early: ServedChain
let late: ServedChain
let freshEarly: Index
let freshLate: Index

interface Index {
  readonly lines: readonly string[]
  readonly answers: Readonly<Record<string, unknown>>
  readonly digest: ChainDigest | undefined
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attestry-upgrade-'))
  early = await serve(fixtureHead)
  late = await serve(lastBlock)
  freshEarly = await indexAfresh(early, 'early.db')
  freshLate = await indexAfresh(late, 'late.db')
})
afterAll(async () => {
  await early.server.close()
  await late.server.close()
  rmSync(folder, { recursive: true, force: true })
})

test('there is a database of every layout that can be upgraded', () => {
  const { baseline, steps } = sqliteLayout
  const layouts = [baseline.version, ...steps.keys().map((step) => baseline.version + step + 1)]
  expect(fixtures.map(({ layout }) => layout)).toEqual(layouts)
})

describe.each(fixtures)('a database of layout $layout', ({ layout }) => {
  test('answers after the upgrade as a fresh index of the chain does, and contradicts itself in nothing', async () => {
    const path = unpack(layout, 'upgraded')
    migrateSqlite(path, { projections })
    expect(await contradictionsOf(path)).toEqual([])
    // A step may ask for blocks to be read again.
    await indexChain(early, path)
    expect(await exportIndex(path)).toEqual(freshEarly.lines)
    expect(await answersOf(path)).toEqual(freshEarly.answers)
  })

  test('continues after the upgrade, and its chain corrects nothing', async () => {
    const path = unpack(layout, 'continued')
    await indexChain(late, path)
    expect(await exportIndex(path)).toEqual(freshLate.lines)
    expect(await answersOf(path)).toEqual(freshLate.answers)
    const { right, lines } = await verifyDatabase(folder, path, late.chain, [late.server.url], {
      all: true,
      repair: true,
    })
    expect(lines.filter(({ type }) => type === 'difference')).toEqual([])
    expect(right).toBe(true)
    expect(await digestOf(path)).toEqual(freshLate.digest)
  })
})

test('a database is whole in its old layout or in the new one, wherever the upgrade is killed', async () => {
  const { version: oldest } = sqliteLayout.baseline
  const path = unpack(oldest, 'killed')
  const before = dumpOf(path)
  let statement = 1
  for (; upgradeKilledBefore(path, statement); statement += isNightly ? 1 : 4) {
    expect(layoutOf(path)).toBe(oldest)
    expect(dumpOf(path)).toEqual(before)
  }
  expect(layoutOf(path)).toBe(newestLayout(laterLayout))
  // Each step, the begin and the end of the transaction, and the update of the layout's number.
  expect(statement).toBeGreaterThan(laterLayout.steps.length + 3)
  // The later layout differs from that of this version only in the table `later`.
  run(path, `DROP TABLE later; PRAGMA user_version = ${newestLayout(sqliteLayout)}`)
  expect(await contradictionsOf(path)).toEqual([])
  await indexChain(early, path)
  expect(await exportIndex(path)).toEqual(freshEarly.lines)
})

test('if a step lacks data, the chain is indexed again, and equals a fresh index', async () => {
  const path = unpack(sqliteLayout.baseline.version, 'again')
  migrateSqlite(path, { projections })
  run(path, "UPDATE attestation SET data = x''; UPDATE chain SET rewind_to = -1")
  await indexChain(late, path)
  expect(await contradictionsOf(path)).toEqual([])
  expect(await exportIndex(path)).toEqual(freshLate.lines)
})

test('a database of a newer version is refused in a sentence, and left as it is', () => {
  const path = unpack(sqliteLayout.baseline.version, 'newer')
  migrateSqlite(path, { projections })
  run(path, `PRAGMA user_version = ${newestLayout(sqliteLayout) + 1}`)
  const refusal = /^the database .* was made by a newer version of this program$/
  expect(() => migrateSqlite(path, { projections })).toThrow(refusal)
  expect(() => openSqliteReader(path, { projections })).toThrow(refusal)
  expect(() => openSqliteAudit(path, { ...allFields, projections })).toThrow(refusal)
  expect(layoutOf(path)).toBe(newestLayout(sqliteLayout) + 1)
})

async function serve(head: number): Promise<ServedChain> {
  const { chainId, contracts } = recorded
  return {
    chain: { chainId, contracts, head: () => head },
    server: await serveRecordedChain(recorded, head),
  }
}

async function indexAfresh(served: ServedChain, name: string): Promise<Index> {
  const path = join(folder, name)
  await indexChain(served, path, fixtureRankThreshold)
  return {
    lines: await exportIndex(path),
    answers: await answersOf(path),
    digest: await digestOf(path),
  }
}

function unpack(layout: number, name: string): string {
  const path = join(folder, `${layout}-${name}.db`)
  unpackFixture(layout, path)
  return path
}

/** Whether the process was killed before the end of the upgrade. */
function upgradeKilledBefore(path: string, statement: number): boolean {
  const program = new URL('killedMigration.ts', import.meta.url).pathname
  const { signal, status } = spawnSync(process.execPath, [program, path, String(statement)])
  if (signal === null && status !== 0) throw new Error('the upgrade failed')
  return signal !== null
}

async function contradictionsOf(path: string): Promise<Difference[]> {
  const audit = openSqliteAudit(path, { ...allFields, projections })
  const found: Difference[] = []
  for await (const difference of audit.findContradictions()) found.push(difference)
  await audit.close()
  return found
}

async function digestOf(path: string): Promise<ChainDigest | undefined> {
  const reader = openSqliteReader(path, { projections })
  const [chain] = await reader.listChains()
  await reader.close()
  return chain?.digest
}

/** The answers of the API to every kind of request, without times of storing. */
async function answersOf(path: string): Promise<Record<string, unknown>> {
  const reader = openSqliteReader(path, { projections })
  const server = createServer({
    reader,
    chainIds: [recorded.chainId],
    decodePayload: decodeAttestedPayload,
    now: () => unixMilliseconds((recorded.blocks.at(-1)?.timestamp ?? 0) * 1000),
  })
  const answers: Record<string, unknown> = {}
  for (const question of questions(await idsOf(path))) {
    const { statusCode, body } = await server.inject(question)
    const isStorageTime = (key: string) => ['syncAt', 'lastSyncAt'].includes(key)
    answers[question] = {
      statusCode,
      body: JSON.parse(body, (key, value: unknown) => (isStorageTime(key) ? undefined : value)) as unknown,
    }
  }
  await server.close()
  await reader.close()
  return answers
}

function questions({ schemas, attestations, accounts }: Ids): string[] {
  const pages = [1, 2, 3, 7].flatMap((page) => [
    `/scan/schemas?size=5&page=${page}`,
    `/scan/attestations?size=9&page=${page}&fields=detail&include=decoded`,
  ])
  return [
    ...pages,
    '/scan/stats',
    '/scan/top-schemas',
    '/scan/trending-schemas',
    '/scan/latest-attestations',
    '/scan/search?keyword=the+schema',
    '/scan/schemas?keyword=Badge',
    '/scan/schemas?keyword=%22quoted',
    '/scan/attestations?keyword=0x1',
    '/scan/attestations?keyword=key-9',
    '/scan/attestations?revoked=true&size=100',
    '/scan/attestations?cursor=*&size=100&protocol=eas',
    ...schemas.flatMap((id) => [
      `/scan/schemas/${id}`,
      `/scan/schemas/${id}/activity`,
      `/scan/attestations?schemaId=${id}&size=4&page=2`,
    ]),
    ...attestations.map((id) => `/scan/attestations/${id}`),
    ...accounts.flatMap((account) => [
      `/scan/addresses/${account}/statistics`,
      `/scan/addresses/${account}/activity`,
      `/scan/addresses/${account}/anchors`,
      `/scan/addresses/${account}/attestations?size=3&page=2`,
      `/scan/attestations?keyword=${account}`,
    ]),
  ]
}

interface Ids {
  readonly schemas: readonly string[]
  readonly attestations: readonly string[]
  readonly accounts: readonly string[]
}

async function idsOf(path: string): Promise<Ids> {
  const lines = (await exportIndex(path)).map((line) => JSON.parse(line) as Record<string, unknown>)
  const textsOf = (type: string, member: string) =>
    lines.flatMap((line) => (line['type'] === type ? [String(line[member])] : []))
  return {
    schemas: textsOf('schema', 'id'),
    attestations: textsOf('attestation', 'id'),
    accounts: textsOf('address', 'address'),
  }
}

function layoutOf(path: string): number {
  const database = new DatabaseSync(path)
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  } finally {
    database.close()
  }
}

/** Every row of every table, and the tables themselves. */
function dumpOf(path: string): string[] {
  const database = new DatabaseSync(path)
  const rowsOf = (sql: string) => {
    const statement = database.prepare(sql)
    statement.setReadBigInts(true)
    return statement.all()
  }
  try {
    const tables = rowsOf('SELECT name, sql FROM sqlite_schema ORDER BY name')
    const names = rowsOf(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'schema_text%'",
    )
    const rows = names.flatMap(({ name }) => rowsOf(`SELECT * FROM ${String(name)}`))
    return [...tables, ...rows].map((row) =>
      JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    )
  } finally {
    database.close()
  }
}

function run(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}
