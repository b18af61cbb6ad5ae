import fc from 'fast-check'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { formatCompositeId, localIdOfCounter, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { DataLocation, SchemaField } from '@attestry/core/model/records.ts'
import type { Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleChainId,
  sampleContract,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { schemaId } from '@attestry/store/testing/generatedChain.ts'
import { histories, playHistory } from '@attestry/store/testing/playHistory.ts'
import { exportOf, type TestReader } from '@attestry/store/testing/storeFactory.ts'
import { decodeTestPayload } from '@attestry/store/testing/testPayloads.ts'
import { createFollower, type ConfiguredTable, type Follower } from '../followTables.ts'
import type { SqlRow } from '@attestry/store/port/reads.ts'
import type { TypedDatabase } from '../typedDatabase.ts'
import { undecodedYet } from '../typedTable.ts'

type Line = Readonly<Record<string, unknown>>

/** An empty index in a database. */
export interface TypedTestStore {
  openWriter(): IndexWriter
  openReader(): TestReader
  openTyped(): Promise<TypedDatabase>
  /** Runs a step of the layout that changes a column of attestations. */
  upgrade(): Promise<void>
  remove(): Promise<void>
}

const table = (name: string, key: RecordKey): ConfiguredTable => ({
  name,
  key,
  schemaId: formatCompositeId(key),
})

/** The columns of views without a comment, in PostgreSQL. */
const uncommented =
  'SELECT c.relname, a.attname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 ' +
  "WHERE c.relnamespace = 'attestry'::regnamespace AND c.relname LIKE 'kyc%' " +
  "AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid, 'pg_class') IS NULL)"

/** The behaviour of typed tables over a database; `lives`: histories of generated chains, of which each takes time. */
export function testTypedTables(create: () => Promise<TypedTestStore>, lives: number): void {
  let store: TypedTestStore
  let database: TypedDatabase
  let lines: string[]

  beforeEach(async () => {
    store = await create()
    database = await store.openTyped()
    lines = []
  })
  afterEach(async () => {
    await database.close()
    await store.remove()
  })

  function follow(
    tables: readonly ConfiguredTable[],
    decodePayload: DecodePayload = decodeAttestedPayload,
    program = '1',
  ): Follower {
    return createFollower(database, {
      tables,
      program,
      decodePayload,
      log: (_, line) => void lines.push(line),
    })
  }

  async function drain(follower: Follower): Promise<void> {
    while (await follower.step());
  }

  const viewOf = (name: string) => database.words.viewName(name)

  const kyc = table('kyc', { chainId: sampleChainId, localId: localIdOfCounter(1n) })

  async function openSample(): Promise<IndexWriter> {
    const writer = store.openWriter()
    await writer.openChain({
      chainId: sampleChainId,
      name: 'Sample',
      contracts: [{ protocol: 'eas', address: sampleContract, schemaRegistry: null, startBlock: 0 }],
    })
    return writer
  }

  let nextBlock = 1
  beforeEach(() => void (nextBlock = 1))

  /** Applies events, each in a block of its own. */
  async function apply(writer: IndexWriter, ...made: readonly ((block: number) => DomainEvent)[]) {
    const fromBlock = nextBlock
    const events = made.map((make) => make(nextBlock++))
    await writer.applyBlocks(sampleChainId, {
      fromBlock,
      checkpoint: { blockNumber: nextBlock - 1, timestamp: unixSeconds(1_700_000_000) },
      events,
      recentBlocks: [],
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(0),
    })
  }

  const registered =
    (types: string): ((block: number) => DomainEvent) =>
    (block) => {
      const fields = parseAbiParameters(types).map(({ name = '', type }) => ({ name, type }))
      const shown = types.includes('(')
        ? fields.map((field) => (field.name === 'who' ? { ...field, type: whoType } : field))
        : fields
      const position = eventPosition(block, 0)
      const schema = sampleSchema(1, {
        protocol: 'eas',
        position,
        definition: { name: '', description: '', fields: shown },
      })
      return { kind: 'schemaRegistered', position, schema }
    }

  const whoType = '(address account, uint256[] sizes)'

  const attested =
    (number: number, data: string, oddities: Parameters<typeof sampleAttestation>[1] = {}) =>
    (block: number): DomainEvent => {
      const position = eventPosition(block, 0)
      const attestation = sampleAttestation(number, {
        protocol: 'eas',
        position,
        data: data as Hex,
        ...oddities,
      })
      return { kind: 'attestationMade', position, attestation }
    }

  test('every type of Solidity has a column, and an odd payload says what is wrong with it', async () => {
    const types =
      'uint8 small, uint64 half, int64 signed, uint256 big, int256 low, bool ok, string text, bytes raw, ' +
      'bytes32 hash, address account, uint256[] list, (address account, uint256[] sizes) who, string Small, bool ctid'
    const account = '0xAb5801a7D398351b8bE11C439e05C5B3259aeC9B'
    const big = 2n ** 256n - 1n
    const low = -(2n ** 255n)
    const data = encodeAbiParameters(parseAbiParameters(types), [
      255,
      2n ** 64n - 1n,
      -(2n ** 63n),
      big,
      low,
      true,
      `it's "quoted"\u0000; \u{1F4A9}`,
      '0xABcd',
      `0x${'12'.repeat(32)}`,
      account,
      [1n, big],
      { account, sizes: [2n ** 64n] },
      'second',
      false,
    ])
    const writer = await openSample()
    const follower = follow([kyc])
    await drain(follower)
    expect(lines).toEqual([`the typed table kyc waits: schema ${kyc.schemaId} is not indexed yet`])
    const to = (...numbers: readonly number[]) => ({
      recipients: numbers.map((number) => ({ kind: 'address', address: sampleAddress(number) }) as const),
    })
    await apply(
      writer,
      registered(types),
      attested(1, data, to(3)),
      attested(2, '0x', to()),
      attested(3, '0x1234', to(3, 4)),
      attested(4, data, { dataLocation: 'IPFS' }),
    )
    await drain(follower)
    expect(lines.slice(1)).toEqual([`the typed table kyc of schema ${kyc.schemaId} was made`])
    const read = (columns: string, view = 'kyc') =>
      database.all<SqlRow>(`SELECT ${columns} FROM ${viewOf(view)} ORDER BY key, recipient`)
    const [row] = await read(
      'small, CAST(half AS text), CAST(signed AS text), CAST(big AS text), CAST(low AS text), ok, text, raw, hash, ' +
        'account, CAST(list AS text), CAST(who AS text), "Small_2", "ctid_2"'.replace(
          '"ctid_2"',
          database.words.systemColumns.length === 0 ? '"ctid"' : '"ctid_2"',
        ),
    )
    const [small, half, signed, bigText, lowText, ok, text, raw, hash, who, list, tuple, second, ctid] =
      row ?? []
    expect([small, half, signed, bigText, lowText]).toEqual([
      255,
      String(2n ** 64n - 1n),
      String(-(2n ** 63n)),
      String(big),
      String(low),
    ])
    expect([Number(ok), Number(ctid), second]).toEqual([1, 0, 'second'])
    expect(text).toBe(database.words.plainText(`it's "quoted"\u0000; \u{1F4A9}`))
    expect([raw, hash, who]).toEqual(['0xabcd', `0x${'12'.repeat(32)}`, account.toLowerCase()])
    expect(JSON.parse(String(list))).toEqual(['1', String(big)])
    expect(JSON.parse(String(tuple))).toEqual({ account: account.toLowerCase(), sizes: [String(2n ** 64n)] })
    const odd = await read('id, recipient, small, decode_error')
    expect(odd.map((each) => each.slice(1))).toEqual([
      [sampleAddress(3), 255, null],
      [null, null, expect.stringMatching(/./)],
      [null, null, expect.stringMatching(/./)],
      [sampleAddress(3), null, 'the payload is kept elsewhere: IPFS'],
    ])
    expect((await read('recipient', 'kyc_recipients')).flat()).toEqual([
      sampleAddress(3),
      sampleAddress(3),
      sampleAddress(4),
      sampleAddress(3),
    ])
    expect(database.words.hasComments ? await database.all(uncommented) : []).toEqual([])
    await writer.close()
  })

  test('another payload at the place of a reverted one is decoded again, and does not show the old values', async () => {
    const writer = await openSample()
    const score = (value: number) => `0x${value.toString(16).padStart(64, '0')}`
    await apply(writer, registered('uint256 score'), attested(1, score(7)), attested(2, score(9)))
    const follower = follow([kyc])
    await drain(follower)
    const read = () =>
      database.all(`SELECT CAST(score AS text), revoked, decode_error FROM ${viewOf('kyc')} ORDER BY key`)
    const shown = (text: string | null, error: string | null = null, revoked = false) => [
      text,
      database.words.hasComments ? revoked : Number(revoked),
      error,
    ]
    await writer.revertBlocks(sampleChainId, 1, unixMilliseconds(0))
    expect(await read()).toEqual([])
    nextBlock = 2
    await apply(writer, attested(1, score(8)), attested(3, score(9)), (block) => {
      const position = eventPosition(block, 0)
      return {
        kind: 'attestationRevoked',
        position,
        protocol: 'eas',
        localId: localIdOfCounter(3n),
        reason: '',
        timestamp: unixSeconds(1_700_000_000),
        transactionHash: sampleHash(9),
      }
    })
    // The second record has the payload of the one before at its place, so that its values are the same.
    expect(await read()).toEqual([shown(null, undecodedYet), shown('9', null, true)])
    await drain(follower)
    expect(await read()).toEqual([shown('8'), shown('9', null, true)])
    await writer.close()
  })

  test('the views show what the index has, through reorganisations, restarts and payloads still to be decoded', async () => {
    const reader = store.openReader()
    const writer = store.openWriter()
    const tables = [137, 5].flatMap((chainId) =>
      [0, 1].map((number) => table(`c${chainId}_${number}`, { chainId, localId: schemaId(number) })),
    )
    let chains: Awaited<ReturnType<typeof playHistory>> | undefined
    let follower = follow(tables, decodeTestPayload)
    const acts = fc.sample(fc.tuple(histories, fc.nat(4), fc.boolean()), { numRuns: lives, seed: 51 })
    let shown = 0
    for (const [history, stepCount, restarts] of acts) {
      chains = await playHistory(writer, history, chains)
      for (let count = 0; count < stepCount; count++) await follower.step()
      await expectRows(reader, tables, true)
      if (restarts) follower = follow(tables, decodeTestPayload)
      await drain(follower)
      shown += await expectRows(reader, tables, false)
    }
    expect(shown).toBeGreaterThan(lives)
    await writer.close()
    await reader.close()
  })

  /** Compares the views with the export, and returns the number of their rows. */
  async function expectRows(
    reader: TestReader,
    tables: readonly ConfiguredTable[],
    mayWait: boolean,
  ): Promise<number> {
    const all = (await exportOf(reader)).map((line) => JSON.parse(line) as Line)
    let found = 0
    for (const { name, key } of tables) {
      const id = formatCompositeId(key)
      const schemas = all
        .filter((line) => line['type'] === 'schema' && line['id'] === id)
        .sort((a, b) => (String(a['protocol']) < String(b['protocol']) ? -1 : 1))
      const [first] = schemas
      if (first === undefined || !(await database.holds(name))) continue
      const rows = await database.all<[string, boolean | number, string | null, string | null]>(
        `SELECT id, revoked, decode_error, CAST(level AS text) FROM ${viewOf(name)} ORDER BY id`,
      )
      const shown = rows.map(([...row]) => row.with(1, Number(row[1]) === 1)).toSorted(byText)
      found += rows.length
      // Until the next step, the view is that of the schema which was the first of this id before; it may be gone.
      const candidates = ['eas', 'sign'].map((protocol) =>
        expectedRows(
          all,
          schemas.find((schema) => schema['protocol'] === protocol) ?? { id, protocol, data: [] },
        ),
      )
      const idsOf = (each: readonly (readonly unknown[])[]) => String(each.map(([rowId]) => rowId))
      const before = candidates.find((each) => idsOf(each) === idsOf(shown)) ?? []
      const waiting = new Set(shown.filter(([, , reason]) => reason === undecodedYet).map(([rowId]) => rowId))
      const expected = (mayWait ? before : expectedRows(all, first)).map((row) =>
        mayWait && waiting.has(String(row[0])) ? [row[0], row[1], undecodedYet, null] : row,
      )
      expect(shown).toEqual(expected.toSorted(byText))
    }
    return found
  }

  const byText = (a: readonly unknown[], b: readonly unknown[]) => (String(a) < String(b) ? -1 : 1)

  /** The rows of the view of a schema, by the lines of the export. */
  function expectedRows(all: readonly Line[], schema: Line): readonly (readonly unknown[])[] {
    return all
      .filter(
        (line) =>
          line['type'] === 'attestation' &&
          line['fullSchemaId'] === schema['id'] &&
          line['protocol'] === schema['protocol'],
      )
      .map((line) => {
        const { id, revoked, dataLocation } = line
        const payload = decodeTestPayload({
          protocol: 'sign',
          fields: (schema['payloadData'] ?? schema['data']) as readonly SchemaField[],
          data: line['data'] as Hex,
          dataLocation: dataLocation as DataLocation,
        })
        if (dataLocation !== 'ONCHAIN') {
          return [id, revoked, `the payload is kept elsewhere: ${String(dataLocation)}`, null]
        }
        if (payload.kind === 'undecodable') return [id, revoked, payload.reason, null]
        return [id, revoked, null, payload.values[1]?.value]
      })
      .toSorted(byText)
  }

  test('a table that the configuration no longer names is dropped, unless a view of others depends on it', async () => {
    const writer = await openSample()
    await apply(writer, registered('uint256 score'), attested(1, `0x${'00'.repeat(31)}07`))
    await drain(follow([kyc, { ...kyc, name: 'score' }]))
    const mine = viewOf('mine')
    await database.exec(`CREATE VIEW ${mine} AS SELECT score FROM ${viewOf('score_recipients')}`)
    // Words of other views are no names of tables.
    await database.exec(`CREATE VIEW ${viewOf('other')} AS SELECT 1 AS kyc`)
    lines = []
    await drain(follow([]))
    expect(lines).toEqual([
      'the typed table kyc was dropped: the configuration no longer names it',
      expect.stringMatching(/^the typed table score is kept, .*: view (attestry\.)?mine depends on it$/),
    ])
    expect(await database.holds('kyc')).toBe(false)
    expect(await database.all(`SELECT CAST(score AS text) FROM ${mine}`)).toEqual([['7']])
    await database.exec(`DROP VIEW ${mine}`)
    await drain(follow([]))
    expect(await database.holds('score')).toBe(false)
    await writer.close()
  })

  test('views are made anew after an upgrade, without decoding again, and decode again in another version', async () => {
    const writer = await openSample()
    await apply(writer, registered('uint256 score'), attested(1, `0x${'00'.repeat(31)}07`))
    await drain(follow([kyc]))
    await writer.close()
    const refuses: DecodePayload = () => ({ kind: 'undecodable', reason: 'decoded again' })
    await store.upgrade()
    expect(await database.holds('kyc')).toBe(false)
    const read = () => database.all(`SELECT CAST(score AS text), decode_error FROM ${viewOf('kyc')}`)
    await drain(follow([kyc], refuses))
    expect(await read()).toEqual([['7', null]])
    await drain(follow([kyc], refuses, '2'))
    expect(await read()).toEqual([[null, 'decoded again']])
  })

  test('a view of others keeps its name', async () => {
    const writer = await openSample()
    await apply(writer, registered('uint256 score'))
    await database.exec(`CREATE VIEW ${viewOf('kyc')} AS SELECT 1 AS one`)
    await drain(follow([kyc]))
    expect(lines).toEqual(['the typed table kyc is not made: its name is taken in the database'])
    expect(await database.all(`SELECT one FROM ${viewOf('kyc')}`)).toEqual([[1]])
    await writer.close()
  })
}
