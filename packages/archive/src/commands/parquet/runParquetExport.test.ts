import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  sampleAttestation,
  sampleChainId,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { parseHex, type Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { runParquetExport } from './runParquetExport.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-parquet-'))
const database = { kind: 'sqlite', path: join(folder, 'index.db') } as const
const schemaId = `onchain_evm_${sampleChainId}_0x1`
const attestationId = (counter: number) => `onchain_evm_${sampleChainId}_0x${counter.toString(16)}`

const declared =
  'uint8 level,int64 change,uint64 most,uint256 weight,bool ok,string id,address who,bytes4 tag,uint16[] scores,string[] words'
const fields = [
  ...declared.split(',').map((part) => {
    const [type = '', name = ''] = part.split(' ')
    return { name, type }
  }),
  { name: 'place', type: '(string city,int8 zone)' },
]
const most = 2n ** 64n - 1n
const address = '0xAb00000000000000000000000000000000000003'

let writer: IndexWriter
let nextBlock = 2_000
beforeAll(async () => {
  migrateSqlite(database.path)
  writer = openSqliteWriter(database.path)
  await writer.openChain({ chainId: sampleChainId, name: 'Sepolia', contracts: [] })
  const schema = sampleSchema(1, { definition: { name: 'All', description: '', fields } })
  const other = sampleSchema(2, { position: eventPosition(1_002, 0) })
  await apply(1_000, [
    { kind: 'schemaRegistered', position: schema.position, schema },
    { kind: 'schemaRegistered', position: other.position, schema: other },
  ])
  await attest(1, { data: payload(), validUntil: most })
  await attest(2, { recipients: [] })
  await attest(3, { schemaLocalId: localIdOfCounter(2n), data: encode('uint256', [7n]) })
})
afterAll(async () => {
  await writer.close()
  rmSync(folder, { recursive: true, force: true })
})

test('the file of a schema has a column of its own type for each field', async () => {
  const { rows, types } = await exported('typed.parquet', { schema: schemaId })
  expect(rows).toHaveLength(2)
  expect(rows[0]).toMatchObject({
    change: 'new',
    id: attestationId(1),
    chain_id: 11155111n,
    schema_id: schemaId,
    recipients: [address],
    attested_at: new Date(1_700_100_001_000),
    valid_until: null,
    revoked: false,
    decode_error: null,
    level: 7,
    change_2: -5n,
    most,
    weight: (2n ** 200n).toString(),
    ok: true,
    id_2: 'Lisbon "é"',
    who: address,
    tag: '0x01020304',
    scores: [1, 65_535],
    words: [],
    place: { city: 'Kyiv', zone: '-2' },
  })
  expect(types).toMatchObject({
    level: 'INT32',
    change_2: 'INT64',
    most: 'INT64',
    ok: 'BOOLEAN',
    weight: 'BYTE_ARRAY',
  })
})

test('times are marked as UTC', async () => {
  const { elements } = await exported('typed.parquet', { schema: schemaId })
  const times = elements.filter(({ converted_type: type }) => type === 'TIMESTAMP_MILLIS')
  expect(times.map(({ name }) => name)).toContain('attested_at')
  for (const { logical_type: type } of times)
    expect(type).toMatchObject({ type: 'TIMESTAMP', isAdjustedToUTC: true })
})

test('an attestation whose payload does not decode has no values, and the reason', async () => {
  const { rows } = await exported('typed.parquet', { schema: schemaId })
  expect(rows[1]).toMatchObject({
    recipients: [],
    level: null,
    decode_error: expect.stringMatching(/./),
  })
})

test('the file of all schemas has the payload as JSON', async () => {
  const { rows } = await exported('all.parquet', {})
  expect(rows.map(({ id, schema_id: of }) => [id, of])).toEqual([
    [attestationId(1), schemaId],
    [attestationId(2), schemaId],
    [attestationId(3), schemaId.replace('0x1', '0x2')],
  ])
  expect(rows[2]).toMatchObject({ decoded: { score: '7' } })
})

test('with a cursor, the file has only records that are new, changed or reverted since', async () => {
  const { cursor } = await exported('before.parquet', {})
  expect((await exported('same.parquet', { since: cursor })).rows).toEqual([])
  const block = nextBlock
  await attest(4, {})
  await apply(nextBlock, [
    {
      kind: 'attestationRevoked',
      position: eventPosition(nextBlock, 0),
      protocol: 'sign',
      localId: localIdOfCounter(1n),
      reason: 'expired',
      timestamp: unixSeconds(1_700_200_000),
      transactionHash: sampleHash(9),
    },
  ])
  const later = await exported('later.parquet', { since: cursor })
  expect(later.rows).toMatchObject([
    { id: attestationId(4), change: 'new' },
    { id: attestationId(1), change: 'changed', revoked: true, revoke_reason: 'expired' },
  ])
  await writer.revertBlocks(sampleChainId, block - 1, unixMilliseconds(1_700_300_000_000))
  const { rows } = await exported('reverted.parquet', { since: later.cursor })
  expect(rows).toHaveLength(2)
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ id: attestationId(4), change: 'taken back', attester: null }),
      expect.objectContaining({
        id: attestationId(1),
        change: 'changed',
        revoked: false,
        revoke_reason: null,
      }),
    ]),
  )
  const ofOther = { schema: schemaId.replace('0x1', '0x2'), since: cursor }
  expect((await exported('other.parquet', ofOther)).rows).toEqual([])
})

test('says what is wrong with an id or a cursor, and leaves no file', async () => {
  const run = (options: Options) => exported('wrong.parquet', options)
  await expect(run({ schema: 'x' })).rejects.toThrow('The option --schema must be the id of a schema')
  await expect(run({ schema: attestationId(0xff) })).rejects.toThrow('is not indexed')
  await expect(run({ since: 'yesterday' })).rejects.toThrow('The option --since must be the cursor')
  await expect(run({ since: '999999-0' })).rejects.toThrow('no longer reaches back')
  expect(readdirSync(folder).filter((name) => name.startsWith('wrong'))).toEqual([])
})

interface Options {
  readonly schema?: string
  readonly since?: string
}

async function exported(name: string, { schema, since }: Options) {
  const path = join(folder, name)
  const told = await runParquetExport(database, { file: path, program: '1.0.0', schema, since })
  const file = await asyncBufferFromFile(path)
  const metadata = await parquetMetadataAsync(file)
  const rows: Record<string, unknown>[] = await parquetReadObjects({ file, metadata })
  const cursor = metadata.key_value_metadata?.find(({ key }) => key === 'attestry.cursor')?.value ?? ''
  expect(told).toBe(`${rows.length} rows; --since ${cursor} exports what changes from here on`)
  const types = Object.fromEntries(
    parquetSchema(metadata).children.map(({ element }) => [element.name, element.type]),
  )
  return { rows, cursor, types, elements: metadata.schema }
}

function payload(): Hex {
  return encode(`${declared},(string city,int8 zone) place`, [
    7,
    -5n,
    most,
    2n ** 200n,
    true,
    'Lisbon "é"',
    address,
    '0x01020304',
    [1, 65_535],
    [],
    { city: 'Kyiv', zone: -2 },
  ])
}

function encode(types: string, values: readonly unknown[]): Hex {
  const encoded = parseHex(encodeAbiParameters(parseAbiParameters(types), values as never[]))
  if (encoded === null) throw new TypeError('viem encodes hexadecimal digits')
  return encoded
}

async function attest(counter: number, oddities: Parameters<typeof sampleAttestation>[1]): Promise<void> {
  const attestation = sampleAttestation(counter, { ...oddities, position: eventPosition(nextBlock, 0) })
  await apply(nextBlock, [{ kind: 'attestationMade', position: attestation.position, attestation }])
}

async function apply(block: number, events: readonly DomainEvent[]): Promise<void> {
  const last = Math.max(block, 1_999)
  await writer.applyBlocks(sampleChainId, {
    fromBlock: block,
    checkpoint: { blockNumber: last, timestamp: null },
    events,
    recentBlocks: [
      {
        number: last,
        hash: sampleHash(last),
        parentHash: sampleHash(last - 1),
        timestamp: unixSeconds(1_700_000_000),
      },
    ],
    forgetBlocksBelow: 0,
    storedAt: unixMilliseconds(1_700_000_000_000),
  })
  nextBlock = last + 1
}
