import fc from 'fast-check'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { expect, test } from 'vitest'
import { columnsOfAll, type ParquetRow } from '../../export/parquet/parquetColumns.ts'
import { openTable, tryPlace } from '../../lake/openTable.ts'
import { runRound } from '../../lake/runRound.ts'
import { readSnapshots, type ReadSnapshot } from '../../lake/testing/readTable.ts'
import { formatCompositeId, type ChainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { createMemoryPlace, type MemoryPlace } from '../../places/testing/memoryPlace.ts'
import type { WritablePlace } from '../../places/place.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import {
  generateBlocks,
  schemaId,
  steps,
  type GeneratedBlock,
  type Step,
} from '@attestry/store/testing/generatedChain.ts'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import { batchOf, identityOf, storedAt } from '@attestry/store/testing/storeFactory.ts'
import { runParquetExport } from '../parquet/runParquetExport.ts'
import { startBucket } from '../../places/testing/startBucket.ts'
import { runLake } from './runLake.ts'
import { createLakeSource, lakeTables } from './lakeSource.ts'

const finality = 2
const chainIds: readonly ChainId[] = [5, 137]
const signal = new AbortController().signal

type Chains = Map<ChainId, readonly GeneratedBlock[]>

interface Act {
  readonly chain: number
  /** Number of blocks that a reorganisation reverts. */
  readonly reverted: number
  readonly life: readonly Step[]
  /** Kills before a run to the end: after how many writes, and whether the last of them was done. */
  readonly kills: readonly { readonly writes: number; readonly isDone: boolean }[]
}

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.record({
    chain: fc.nat(chainIds.length - 1),
    reverted: fc.nat(finality),
    life: steps(30),
    kills: fc.array(fc.record({ writes: fc.nat(24), isDone: fc.boolean() }), { maxLength: 3 }),
  }),
  { minLength: 2, maxLength: 5 },
)

test('each snapshot is the export at its cursor, through reorganisations, kills and merges', async () => {
  await fc.assert(
    fc.asyncProperty(acts, fc.constantFrom(4, 1_000), async (history, eventsMax) => {
      await withIndex(async (path) => {
        const place = createMemoryPlace()
        const grown: Chains = new Map()
        for (const { kills, ...happens } of history) {
          await live(path, grown, happens)
          for (const killed of kills) {
            await bringUp(path, killedAfter(place, killed), eventsMax).catch(expectKill)
            await expectExports(place, grown)
          }
          await bringUp(path, place, eventsMax)
          await expectExports(place, grown)
        }
        expectNoLeftovers(place)
      })
    }),
    { numRuns: historyRuns(10) },
  )
})

test('small segments are merged, and files that no snapshot has any more are deleted', async () => {
  await withIndex(async (path) => {
    const place = createMemoryPlace()
    const grown: Chains = new Map()
    const life = sampleLives(60).flat().slice(0, 120)
    await live(path, grown, { chain: 0, reverted: 0, life })
    const blocks = grown.get(5)?.length ?? 0
    // One more block is final each time.
    const finalities = Array.from({ length: blocks - finality }, (_, index) => blocks - 1 - index)
    await bringUp(path, place, 1_000, finalities)
    await expectExports(place, grown)
    expectNoLeftovers(place)
    const snapshots = readSnapshots('file:///lake/attestations', readerOf(place))
    expect(snapshots).toHaveLength(100)
    expect(snapshots.some(({ operation }) => operation === 'replace')).toBe(true)
    expect(Math.max(...snapshots.map(({ files }) => files.length))).toBeLessThan(22)
  })
})

test('a chain whose blocks are no longer those of the lake is written anew', async () => {
  await withIndex(async (path) => {
    const place = createMemoryPlace()
    const [one = [], other = []] = [sampleLives(60)[20], sampleLives(60).at(-1)]
    const grown: Chains = new Map()
    await live(path, grown, { chain: 0, reverted: 0, life: one })
    await live(path, grown, { chain: 1, reverted: 0, life: other })
    await bringUp(path, place, 1_000)
    const blocks = grown.get(chainIds[0] ?? 5) ?? []
    await live(path, grown, { chain: 0, reverted: blocks.length - 3, life: other })
    expect(await bringUp(path, place, 1_000)).toEqual(new Set([chainIds[0]]))
    await expectExports(place, grown, 1)
    expectNoLeftovers(place)
    await live(path, grown, { chain: 0, reverted: (grown.get(5) ?? []).length - 3, life: [] })
    const held = bringUp(path, place, 1_000)
    await expect(held).rejects.toThrow(/is final up to block 1 alone, below block \d+ of the lake/)
  })
})

test('a bucket has the tables as a folder has them', async () => {
  await withIndex(async (path) => {
    const grown: Chains = new Map()
    await live(path, grown, { chain: 0, reverted: 0, life: sampleLives(60).at(-1) ?? [] })
    const bucket = await startBucket()
    try {
      const lines: string[] = []
      const run = () =>
        runLake(
          { database: { kind: 'sqlite', path }, chains: [{ chainId: 5, name: 'Five', finality }] },
          { to: 's3://bucket/lake', once: true },
          {
            environment: bucket.environment,
            program: 'test',
            printLine: (line) => lines.push(line),
            signal,
          },
        )
      await run()
      await run()
      const read = (file: string) => bucket.files.get(file.replace('s3:/', '')) ?? new Uint8Array()
      const [snapshot, ...others] = readSnapshots('s3://bucket/lake/attestations', read)
      const [revocations] = readSnapshots('s3://bucket/lake/revocations', read)
      if (snapshot === undefined || revocations === undefined) throw new Error('there are no snapshots')
      expect(others).toEqual([])
      expect((await snapshot.rows()).length).toBeGreaterThan(5)
      await expectExport('attestations', snapshot, revocations, grown)
      const [added, upTo, ...further] = lines
      expect(added).toMatch(/^\d+ rows of attestations, \d+ rows of revocations$/)
      expect(upTo).toMatch(/^chain 5 \(Five\): up to block \d+, digest 0x[0-9a-f]{64}$/)
      expect(further).toEqual([upTo])
    } finally {
      await bucket.close()
    }
  })
})

test('a process that another one has followed cannot write, and neither can one of other columns', async () => {
  const place = createMemoryPlace()
  const [shape] = lakeTables([])
  if (shape === undefined) throw new Error('there are tables')
  const one = await openTable<ParquetRow>({ ...shape, place: named(place), signal })
  const other = await openTable<ParquetRow>({ ...shape, place: named(place), signal })
  await expect(one.commit('append', [])).rejects.toThrow('Another process writes the table attestations')
  await other.commit('append', [])
  const fewer = { ...shape, columns: shape.columns.slice(1), place: named(place), signal }
  await expect(openTable<ParquetRow>(fewer)).rejects.toThrow('has other columns')
  const create = async (...file: Parameters<typeof place.write>) => {
    await place.write(...file)
    return true
  }
  const heedless = { ...place, create }
  await expect(tryPlace(heedless, signal)).rejects.toThrow('does not know If-None-Match')
})

test.each([
  ['ends by itself', true],
  ['is killed', false],
])('a process whose place others have taken leaves no files if it %s', async (_, isAlive) => {
  const place = createMemoryPlace()
  const [shape] = lakeTables([])
  if (shape === undefined) throw new Error('there are tables')
  const open = () => openTable<ParquetRow>({ ...shape, place: named(place), signal })
  const first = await open()
  await first.write(Buffer.from('1'))
  const second = await open()
  // The process has not noticed yet, and its first files are gone.
  await first.write(Buffer.from('2'))
  await second.write(Buffer.from('3'))
  const third = await open()
  for (const table of [first, second, third]) await table.write(Buffer.from('4'))
  const refusal = isAlive ? await first.commit('append', []).catch((error: unknown) => String(error)) : null
  expect(String(refusal)).toMatch(isAlive ? /Another process writes/ : /^null$/)
  if (isAlive) await second.abandon()
  await third.commit('append', [])
  await third.abandon()
  await (await open()).commit('append', [])
  expect([...place.files.keys()].filter((path) => path.endsWith('.parquet'))).toEqual([])
  expectNoLeftovers(place)
})

test('files of a commit whose answer was lost stay', async () => {
  const place = createMemoryPlace()
  const [shape] = lakeTables([])
  if (shape === undefined) throw new Error('there are tables')
  const lossy = { ...named(place), create: place.create }
  const table = await openTable<ParquetRow>({ ...shape, place: lossy, signal })
  const path = await table.write(Buffer.from('1'))
  lossy.create = async (...file) => {
    await place.create(...file)
    throw new Error('the connection breaks off')
  }
  const bounds = { path, partition: null, bytes: 1, rows: 1, lower: [], upper: [], nulls: [] }
  const segment = { chainId: 5, block: 1, events: 1, digest: '0', files: [bounds as never] }
  await table.commit('append', [segment]).catch(() => undefined)
  await table.abandon()
  expect(place.files.has(`${shape.name}/${path}`)).toBe(true)
})

/** The shortest first. */
function sampleLives(maxLength: number): readonly (readonly Step[])[] {
  return fc.sample(steps(maxLength), { numRuns: 40, seed: 3 }).sort((a, b) => a.length - b.length)
}

async function withIndex(run: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-lake-'))
  try {
    migrateSqlite(join(folder, 'index.db'))
    await run(join(folder, 'index.db'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Lets a chain lose blocks, then grow. */
async function live(
  path: string,
  grown: Chains,
  { chain, reverted, life }: Omit<Act, 'kills'>,
): Promise<void> {
  const chainId = chainIds[chain] ?? 5
  const writer = openSqliteWriter(path)
  try {
    await writer.openChain(identityOf(chainId))
    const before = grown.get(chainId) ?? []
    const kept = before.slice(0, Math.max(0, before.length - reverted))
    if (kept.length < before.length) await writer.revertBlocks(chainId, kept.length - 1, storedAt)
    const blocks = generateBlocks(chainId, kept, life, `${grown.size} ${before.length}`).map(withoutClaims)
    await writer.applyBlocks(chainId, {
      ...batchOf(blocks),
      forgetBlocksBelow: kept.length + blocks.length - 1 - finality,
    })
    grown.set(chainId, [...kept, ...blocks])
  } finally {
    await writer.close()
  }
}

/** The history of a chain ends before a claim that a record is revoked, until sync settles the claim. */
function withoutClaims(block: GeneratedBlock): GeneratedBlock {
  const events = block.events.map((event): DomainEvent => {
    if (event.kind !== 'attestationMade' || event.attestation.revocationAtRead.kind !== 'claimed')
      return event
    return { ...event, attestation: { ...event.attestation, revocationAtRead: { kind: 'none' } } }
  })
  return { ...block, events }
}

/** Runs the lake until it has all that is final. Returns the chains that were written anew. */
async function bringUp(
  path: string,
  place: WritablePlace,
  eventsMax: number,
  finalities: readonly number[] = [finality],
): Promise<Set<ChainId>> {
  const reader = openSqliteReader(path)
  const dropped = new Set<ChainId>()
  try {
    const schema = await reader.findSchema({ chainId: 5, localId: schemaId(0), protocol: 'sign' })
    const schemas = schema === null ? [] : [schema]
    const tables = await Promise.all(
      lakeTables(schemas).map((shape) => openTable<ParquetRow>({ ...shape, place: named(place), signal })),
    )
    const source = createLakeSource(reader, schemas, 'test')
    for (const blocks of finalities) {
      const chains = chainIds.map((chainId) => ({ chainId, finality: blocks }))
      let hasMore = true
      while (hasMore) {
        const round = await runRound({ source, chains, tables, signal, eventsMax })
        for (const chainId of round.dropped) dropped.add(chainId)
        const behind = [...round.hindrances.values()].find((why) => why.includes('below'))
        if (behind !== undefined) throw new Error(behind)
        hasMore = round.hasMore
      }
    }
    return dropped
  } finally {
    await reader.close()
  }
}

/** The place under the name of a folder, as tables refer to it. */
function named(place: WritablePlace): WritablePlace {
  return { ...place, name: '/lake' }
}

class Kill extends Error {}

function expectKill(error: unknown): void {
  expect(error).toBeInstanceOf(Kill)
}

function killedAfter(
  place: WritablePlace,
  { writes, isDone }: { readonly writes: number; readonly isDone: boolean },
): WritablePlace {
  let left = writes
  const unlessKilled = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    left -= 1
    if (left > 0) return await work()
    if (left === 0 && isDone) await work()
    throw new Kill()
  }
  return {
    ...place,
    write: (...file) => unlessKilled(() => place.write(...file)),
    create: (...file) => unlessKilled(() => place.create(...file)),
    remove: (...file) => unlessKilled(() => place.remove(...file)),
  }
}

function readerOf(place: MemoryPlace): (path: string) => Uint8Array {
  return (path) => {
    const bytes = place.files.get(path.replace('file:///lake/', ''))
    if (bytes === undefined) throw new Error(`there is no ${path}`)
    return bytes
  }
}

/** The tables that a reader finds. */
function tableNames(place: MemoryPlace): readonly string[] {
  const hint = '/metadata/version-hint.text'
  return [...place.files.keys()].filter((path) => path.endsWith(hint)).map((path) => path.replace(hint, ''))
}

/** Compares the newest snapshots of all tables with the export of an index of the same blocks. */
async function expectExports(place: MemoryPlace, grown: Chains, last = 3): Promise<void> {
  const names = tableNames(place)
  const tables = new Map(
    names.map((name) => [name, readSnapshots(`file:///lake/${name}`, readerOf(place)).slice(-last)]),
  )
  const revocations = tables.get('revocations') ?? []
  for (const [name, snapshots] of tables) {
    if (name === 'revocations') continue
    for (const snapshot of snapshots) {
      const sameCursor = revocations.find(
        ({ summary }) => summary['attestry.cursor'] === snapshot.summary['attestry.cursor'],
      )
      if (sameCursor === undefined) continue
      await expectExport(name, snapshot, sameCursor, grown)
    }
  }
}

async function expectExport(
  name: string,
  snapshot: ReadSnapshot,
  revocations: ReadSnapshot,
  grown: Chains,
): Promise<void> {
  const revoked = new Map(
    (await revocations.rows()).map((row) => [`${String(row['protocol'])} ${String(row['id'])}`, row]),
  )
  const rows = (await snapshot.rows()).map(({ block_number: block, ...row }) => {
    expect(typeof block).toBe('bigint')
    const revocation = revoked.get(`${String(row['protocol'])} ${String(row['id'])}`)
    return {
      ...row,
      change: 'new',
      revoked: revocation !== undefined,
      revoked_at: revocation?.['revoked_at'] ?? null,
      revoke_reason: revocation?.['revoke_reason'] ?? null,
    }
  })
  const known = await exportAt(snapshot, grown, name === 'attestations' ? undefined : name)
  if (known === null) return
  const told = withoutLater(grown)
  expect(sorted(rows.map(told))).toEqual(sorted(known.map(told)))
}

/**
 * Leaves out of a row what its payload says under a schema that is registered later: generated chains have such
 * attestations, which contracts do not take.
 */
function withoutLater(grown: Chains): (row: Record<string, unknown>) => Record<string, unknown> {
  const events = [...grown.values()].flat().flatMap((block) => block.events)
  const undecoded = new Set<string>()
  const schemas = new Set<string>()
  for (const event of events) {
    if (event.kind === 'schemaRegistered') schemas.add(nameOf(event.schema.protocol, event.schema.key))
    if (event.kind !== 'attestationMade') continue
    const { protocol, key, schemaLocalId: localId } = event.attestation
    if (!schemas.has(nameOf(protocol, { ...key, localId }))) undecoded.add(nameOf(protocol, key))
  }
  return (row) => {
    const name = `${String(row['protocol'])} ${String(row['id'])}`
    return undecoded.has(name) ? { ...row, ...decodedNull(row) } : row
  }
}

/** Columns that do not come from a payload. */
const recordColumns = columnsOfAll()
  .map(({ name }) => name)
  .filter((name) => !['decode_error', 'decoded'].includes(name))

function decodedNull(row: Record<string, unknown>): Record<string, null> {
  const names = Object.keys(row).filter((name) => !recordColumns.includes(name))
  return Object.fromEntries(names.map((name) => [name, null]))
}

function nameOf(protocol: string, key: RecordKey): string {
  return `${protocol} ${formatCompositeId(key)}`
}

/**
 * The rows of an export of an index that has only the blocks up to the cursor, and the digests of the snapshot; null if
 * that index does not know the schema.
 */
async function exportAt(
  { cursor, summary }: ReadSnapshot,
  grown: Chains,
  schema: string | undefined,
): Promise<readonly Record<string, unknown>[] | null> {
  let rows: readonly Record<string, unknown>[] | null = null
  await withIndex(async (path) => {
    const writer = openSqliteWriter(path)
    for (const [chainId, block] of cursor) {
      await writer.openChain(identityOf(chainId))
      const blocks = (grown.get(chainId) ?? []).slice(0, block + 1)
      await writer.applyBlocks(chainId, { ...batchOf(blocks), forgetBlocksBelow: block })
    }
    await writer.close()
    const reader = openSqliteReader(path)
    for (const chainId of cursor.keys()) {
      const found = await reader.findDigest(chainId, null)
      expect(found?.newest.value).toBe(summary[`attestry.digest.${chainId}`])
    }
    const isKnown =
      schema === undefined ||
      (await reader.findSchema({ chainId: 5, localId: schemaId(0), protocol: 'sign' })) !== null
    await reader.close()
    const file = `${path}.parquet`
    if (!isKnown) return
    await runParquetExport(
      { kind: 'sqlite', path },
      { file, program: 'test', schema, protocol: schema && 'sign', since: undefined },
    )
    rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) })
  })
  return rows
}

/** In the order of ids, with JSON and large numbers as the lake has them. */
function sorted(rows: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  return rows
    .map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .map(([name, value]) => [name, plain(value)] as const)
          .sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
    )
    .sort((a, b) =>
      `${String(a['id'])} ${String(a['protocol'])}` < `${String(b['id'])} ${String(b['protocol'])}` ? -1 : 1,
    )
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value === null || value instanceof Date || typeof value !== 'object' || Array.isArray(value))
    return value
  return JSON.stringify(value)
}

/** Every file of the place is one that a snapshot, or a version of the metadata that is kept, has. */
function expectNoLeftovers(place: MemoryPlace): void {
  const read = readerOf(place)
  for (const name of tableNames(place)) {
    const location = `file:///lake/${name}`
    const used = new Set(
      readSnapshots(location, read).flatMap(({ files, metadataFiles }) => [...files, ...metadataFiles]),
    )
    const known = [...place.files.keys()].filter((path) => path.startsWith(`${name}/`))
    const versions = known.filter((path) => path.endsWith('.metadata.json'))
    expect(versions.length).toBeLessThanOrEqual(100)
    const others = known.filter((path) => !/\.metadata\.json$|\/version-hint\.text$/.test(path))
    expect(others.map((path) => `file:///lake/${path}`).filter((path) => !used.has(path))).toEqual([])
  }
}
