import fc from 'fast-check'
import { hash } from 'node:crypto'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, inject, test } from 'vitest'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import type { DefineSchema } from '@attestry/core/index/fieldIndexing.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { HistoryEnd, HistoryReads, HistoryRequest } from '@attestry/core/index/chainHistory.ts'
import type { IndexAudit } from '@attestry/core/index/indexAudit.ts'
import type { IndexRestore } from '@attestry/core/index/indexRestore.ts'
import { addToDigest, emptyDigest, formatSum } from '@attestry/store/layout/eventDigest.ts'
import { generateBlocks, steps, type GeneratedBlock } from '@attestry/store/testing/generatedChain.ts'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import {
  exportOf,
  identityOf,
  storedAt,
  type TestReader,
  type TestStore,
} from '@attestry/store/testing/storeFactory.ts'
import { parseExportLine } from '@attestry/store/transfer/parseExportLine.ts'
import { openChunk } from '../chunkFile.ts'
import { manifestPath, type Manifest } from '../manifest.ts'
import { fetchManifest, publishChunks } from '../publishChunks.ts'
import { checkPublished, readPublished } from '../publishedEvents.ts'
import type { ChainCheck, ChunkChecks } from '../readChunks.ts'
import { replayChunks, type ReplayedChain } from '../replayChunks.ts'
import { createMemoryPlace, type MemoryPlace } from '../../places/testing/memoryPlace.ts'

/** A store that `openRestore` fills; its readers tell the history of a chain. */
export interface ExchangeStore extends TestStore {
  openReader(): TestReader & HistoryReads
  openRestore(): IndexRestore
  openAudit(): IndexAudit
}

const chainId = 5
const finality = 2
const signal = new AbortController().signal
const trusting: ChainCheck = { compare: async () => ({ first: null, withheld: 0 }) }

const checks: ChunkChecks = {
  openChunk: async (file, chunk, chain, before) => openChunk(file, chunk, chain, before, (events) => events),
  check: trusting,
  mayBeBornRevoked: () => true,
  sampleSize: 20,
  random: Math.random,
  signal,
}

async function readPart(
  reader: HistoryReads,
  request: Omit<HistoryRequest, 'chainId' | 'finality'>,
): Promise<HistoryPartRead> {
  const lines: string[] = []
  let end: HistoryEnd | null = null
  let digestBefore: string | undefined
  for await (const part of reader.chainHistory({ chainId, finality, ...request })) {
    if (part.kind === 'chain') digestBefore = part.digestBefore?.value
    else if (part.kind === 'events') lines.push(...part.events.map(({ line }) => line))
    else end = { toBlock: part.toBlock, digest: part.digest }
  }
  return { fromBlock: request.fromBlock, digestBefore, lines, end }
}

interface HistoryPartRead {
  readonly fromBlock: number
  readonly digestBefore: string | undefined
  readonly lines: readonly string[]
  /** null where there are no blocks. */
  readonly end: HistoryEnd | null
}

/** Publishes chains of one store and replays them into another. `lieCount` limits the damages that are tried. */
export function describeChunkExchange(
  name: string,
  create: () => Promise<ExchangeStore>,
  lieCount = lies.length,
): void {
  describe(name, () => {
    test('a history in parts has the lines of the whole, and each part the digests at its ends', async () => {
      await fc.assert(
        fc.asyncProperty(steps(40), fc.integer({ min: 1, max: 12 }), async (life, eventsMax) => {
          const store = await create()
          await applyBlocks(store, generateBlocks(chainId, [], life, 'chain'))
          const reader = store.openReader()
          try {
            const whole = await readPart(reader, { fromBlock: 0 })
            const lines: string[] = []
            let part = await readPart(reader, { fromBlock: 0, eventsMax })
            let before: string | undefined = `0x${'0'.repeat(64)}`
            while (part.end !== null) {
              const { toBlock, digest } = part.end
              lines.push(...part.lines)
              expect(part.digestBefore).toBe(before)
              expect(digest?.value).toBe((await reader.findDigest(chainId, toBlock))?.asked?.value)
              expect(await readPart(reader, { fromBlock: part.fromBlock, toBlock })).toEqual(part)
              before = digest?.value
              part = await readPart(reader, { fromBlock: toBlock + 1, eventsMax })
            }
            expect(lines).toEqual(whole.lines)
          } finally {
            await reader.close()
            await store.remove()
          }
        }),
        { numRuns: historyRuns(8) },
      )
    })

    test('a replayed chain that goes on from its last block becomes the index that was published', async () => {
      await fc.assert(
        fc.asyncProperty(
          steps(40),
          fc.nat(20),
          fc.constantFrom(300, 3_000),
          async (life, early, textLength) => {
            const blocks = generateBlocks(chainId, [], life, 'chain')
            const place = createMemoryPlace()
            await withStores(create, async (from, into) => {
              // Published once in the middle of its life, and once at its end.
              await applyBlocks(from, blocks.slice(0, early))
              await publish(from, place, textLength)
              await applyBlocks(from, blocks.slice(early))
              await publish(from, place, textLength)
              const [published] = (await fetchManifest(place, null, signal)).chains
              const replayed = published === undefined ? [] : await replay(place, into)
              const problems = replayed.length === 0 ? [] : await findContradictions(into)
              expect(problems).toEqual([])
              await applyBlocks(into, blocks.slice((published?.block ?? -1) + 1))
              expect(await exportStore(into)).toEqual(await exportStore(from))
              expect(await findContradictions(into)).toEqual([])
            })
          },
        ),
        { numRuns: historyRuns(40, inject('historyShare')), verbose: 1 },
      )
    })

    test('a chain joins others from chunks, cut anywhere, and becomes the index that was published', async () => {
      await fc.assert(
        fc.asyncProperty(
          steps(40),
          fc.array(fc.nat(40), { maxLength: 2 }),
          fc.nat(40),
          async (life, stops, end) => {
            const blocks = generateBlocks(chainId, [], life, 'chain')
            const others = generateBlocks(6, [], life.slice(0, 10), 'other')
            const place = createMemoryPlace()
            await withStores(create, async (from, into) => {
              await applyBlocks(from, blocks)
              await publish(from, place, 300)
              await applyBlocks(from, others, 6)
              await applyBlocks(into, others, 6)
              // The endpoints have the first blocks, and each attempt ends somewhere.
              const [first = 0, ...further] = stops.toSorted((a, b) => a - b)
              await applyBlocks(into, blocks.slice(0, first))
              for (const stop of [...further, end]) await join(place, into, stop)
              await applyBlocks(into, blocks.slice(await nextBlock(into)))
              expect(await exportStore(into)).toEqual(await exportStore(from))
              expect(await findContradictions(into)).toEqual([])
            })
          },
        ),
        {
          numRuns: historyRuns(20, inject('historyShare')),
          verbose: 1,
          examples: [[longLife(), [20, 30, 31, 32, 33], 1_000]],
        },
      )
    })

    test('a second publication writes only new chunks, and deletes those that a third no longer needs', async () => {
      const blocks = sampleBlocks()
      const place = createMemoryPlace()
      const one = await create()
      try {
        await applyBlocks(one, blocks.slice(0, 60))
        await publish(one, place, 1_000)
        const first = await fetchManifest(place, null, signal)
        const before = place.written.length
        await applyBlocks(one, blocks.slice(60))
        await publish(one, place, 1_000)
        const second = await fetchManifest(place, null, signal)
        const [old, fresh] = [chunksOf(first), chunksOf(second)]
        expect(old.length).toBeGreaterThan(3)
        expect(fresh.slice(0, old.length - 1)).toEqual(old.slice(0, -1))
        expect(place.written.slice(before)).toEqual([
          ...fresh.slice(old.length - (second.superseded.length > 0 ? 1 : 0)).map(({ path }) => path),
          manifestPath,
        ])
        // Readers of the first manifest still find its chunks.
        for (const { path } of old) expect(place.files.has(path)).toBe(true)
        await publish(one, place, 1_000)
        for (const path of second.superseded) expect(place.files.has(path)).toBe(false)
        expect([...place.files.keys()].sort()).toEqual(
          [...fresh.map(({ path }) => path), manifestPath].sort(),
        )
      } finally {
        await one.remove()
      }
    })

    test.each(lies.slice(0, lieCount))(
      '$what is refused with the block, and nothing of it is in the store',
      async ({ lie, sentence }) => {
        const place = createMemoryPlace()
        await withStores(create, async (from, into) => {
          await applyBlocks(from, sampleBlocks())
          await publish(from, place, 1_000)
          const manifest = readManifestFile(place)
          lie(place, manifest)
          place.files.set(manifestPath, Buffer.from(JSON.stringify(manifest)))
          const refusal = await replay(place, into, trusting, () => false).catch((error: unknown) => error)
          expect(refusal).toBeInstanceOf(ChunksRefusedError)
          expect((refusal as Error).message).toMatch(sentence)
          // The store may hold no tables yet, but the next replay finds it empty.
          await replay(await honest(from), into)
          await applyBlocks(into, sampleBlocks().slice(-finality))
          expect(await exportStore(into)).toEqual(await exportStore(from))
        })
      },
    )

    test('a record that was born revoked with a later time is revoked as soon as it is read from chunks', async () => {
      const life = generateBlocks(chainId, [], longLife().slice(0, 40), 'chain')
      const blocks = life.map((block) => ({ ...block, events: block.events.map(bornRevoked) }))
      const place = createMemoryPlace()
      await withStores(create, async (from, into) => {
        await applyBlocks(from, blocks)
        await publish(from, place, 1_000)
        await join(place, into, Number.POSITIVE_INFINITY)
        await applyBlocks(into, blocks.slice(-finality))
        const exported = await exportStore(into)
        expect(exported.filter((line) => line.includes(`"revokeTimestamp":"${farTime}"`))).not.toEqual([])
        expect(exported).toEqual(await exportStore(from))
      })
    })

    test.skipIf(lieCount < lies.length)(
      'a chain that joins from chunks derives the definitions of schemas, whatever a chunk says',
      async () => {
        const place = createMemoryPlace()
        await withStores(create, async (from, into) => {
          await applyBlocks(from, sampleBlocks())
          await publish(from, place, 1_000)
          const manifest = readManifestFile(place)
          for (const index of chunksOf(manifest).keys()) {
            const forge = (line: string) => line.replace(/"definitionName":"/, '"definitionName":"forged')
            rewrite(place, manifest, index, (lines) => lines.map(forge))
          }
          place.files.set(manifestPath, Buffer.from(JSON.stringify(manifest)))
          await join(place, into, Number.POSITIVE_INFINITY, ({ definition }) => ({
            ...definition,
            name: definition.name.replace('forged', ''),
          }))
          await applyBlocks(into, sampleBlocks().slice(-finality))
          expect(await exportStore(into)).toEqual(await exportStore(from))
        })
      },
    )

    test('a sampled block that the chain contradicts leaves nothing in the store', async () => {
      const place = createMemoryPlace()
      await withStores(create, async (from, into) => {
        await applyBlocks(from, sampleBlocks())
        await publish(from, place, 1_000)
        const check: ChainCheck = {
          compare: async (_chain, spans) => ({
            first: { block: spans[0]?.fromBlock ?? -1, text: 'extra: a record.' },
            withheld: 0,
          }),
        }
        await expect(replay(place, into, check)).rejects.toThrow(
          /the first sampled block that differs is \d+: extra: a record$/,
        )
        await expect(
          replay(place, into, { compare: async (_, { length }) => ({ first: null, withheld: length }) }),
        ).rejects.toThrow('no longer keep the logs of any of')
        const [{ spans, compared } = { spans: 0, compared: 0 }] = await replay(place, into)
        expect(compared).toBeGreaterThanOrEqual(Math.min(20, spans))
      })
    })
  })
}

interface Lie {
  readonly what: string
  readonly lie: (place: MemoryPlace, manifest: Manifest) => void
  readonly sentence: RegExp
}

/** Changes that a server may make to chunks while the manifest still fits. */
const lies: readonly Lie[] = [
  {
    what: 'a chunk that was changed',
    lie: (place, manifest) => {
      const { path } = chunkAt(manifest, 1)
      place.files.set(path, Buffer.from(place.files.get(path) ?? []).fill(7, 20, 25))
    },
    sentence: /another SHA-256: the first block that may differ is \d+ of chain 5$/,
  },
  {
    what: 'a record that was left out',
    lie: (place, manifest) => rewrite(place, manifest, 1, (lines) => lines.toSpliced(0, 1)),
    sentence: /has \d+ events, but \d+ by the manifest: the first block that may differ is/,
  },
  {
    what: 'a record that was left out and counted so',
    lie: (place, manifest) => {
      rewrite(place, manifest, 1, (lines) => lines.toSpliced(0, 1))
      recount(manifest, 1, -1)
    },
    sentence:
      /do not have the digest of the manifest: .*; the first block that may differ is \d+ of chain 5$/,
  },
  {
    what: 'a forged record',
    lie: (place, manifest) => {
      const index = chunksOf(manifest).findIndex((_, each) =>
        textOf(place, manifest, each).some(isAttestation),
      )
      const forge = (line: string) => line.replace('"attestTimestamp":"1', '"attestTimestamp":"2')
      rewrite(place, manifest, index, (lines) => lines.map(forge))
    },
    sentence: /do not have the digest of the manifest/,
  },
  {
    what: 'a revocation without an event, which no digest covers and no contract makes',
    lie: (place, manifest) => {
      const index = chunksOf(manifest).findIndex((_, each) =>
        textOf(place, manifest, each).some((line) => line.includes(unrevoked)),
      )
      const forge = (line: string) =>
        line.replace(unrevoked, '"revoked":true,"revokeTimestamp":"1700000000","revokeReason":""')
      rewrite(place, manifest, index, (lines) => lines.map(forge))
    },
    sentence: /as revoked without a revocation, which no contract of \w+ does: the first block that differs/,
  },
  {
    what: 'a record of another chain',
    lie: (place, manifest) =>
      rewrite(place, manifest, 1, (lines) =>
        lines.map((line) => line.replaceAll('"chainId":"5"', '"chainId":"6"')),
      ),
    sentence: /has an event of chain 6: the first block that may differ is \d+ of chain 5$/,
  },
  {
    what: 'a manifest older than its chunks',
    lie: (place, manifest) => {
      place.files.delete(chunkAt(manifest, 1).path)
    },
    sentence:
      /is missing in memory, whose manifest is older than its chunks .*: the first block that is missing is \d+$/,
  },
  {
    what: 'a chunk in the place of another',
    lie: (place, manifest) => {
      const [one, other] = [chunkAt(manifest, 0), chunkAt(manifest, 1)]
      const { path, sha256, bytes, textBytes, events } = other
      recount(manifest, 0, events - one.events)
      Object.assign(one, { path, sha256, bytes, textBytes })
      expect(place.files.has(path)).toBe(true)
    },
    sentence: /has an event of block \d+, but is of the blocks 0 to \d+/,
  },
  {
    what: 'a bomb of zeros',
    lie: (place, manifest) => {
      const chunk = chunkAt(manifest, 1)
      put(place, chunk, zstdCompressSync(Buffer.alloc(64 * 2 ** 20)), chunk.textBytes)
    },
    sentence: /is no text of \d+ bytes in zstd/,
  },
  {
    what: 'a path out of its folder',
    lie: (_, manifest) => {
      chunkAt(manifest, 1).path = '../../etc/passwd'
    },
    sentence: /The manifest of memory is none of this program/,
  },
  {
    what: 'a chunk that the manifest does not list',
    lie: (_, manifest) => void manifest.chains[0]?.chunks.splice(1, 1),
    sentence:
      /contradicts itself about chain 5: chunk 1 has the blocks \d+ to \d+, where block \d+ comes next/,
  },
  {
    what: 'a digest of the whole that is not that of the last chunk',
    lie: (_, manifest) => {
      const [chain] = manifest.chains
      if (chain !== undefined) chain.digest = `0x${'1'.repeat(64)}`
    },
    sentence: /contradicts itself about chain 5: its digest is not that of its last chunk/,
  },
  {
    what: 'another number of events than its chunks have',
    lie: (_, manifest) => {
      const [chain] = manifest.chains
      if (chain !== undefined) chain.events += 1
    },
    sentence: /contradicts itself about chain 5: its chunks have \d+ events, but it has \d+/,
  },
  {
    what: 'a chain twice',
    lie: (_, manifest) => void manifest.chains.push(...manifest.chains.slice(0, 1)),
    sentence: /contradicts itself about chain 5: it is there twice/,
  },
  {
    what: 'chunks beyond the block at which it ends',
    lie: (_, manifest) => {
      const [chain] = manifest.chains
      if (chain !== undefined) chain.block = (chain.chunks.at(-1)?.toBlock ?? 0) - 1
    },
    sentence: /contradicts itself about chain 5: its chunks reach block \d+, but it ends at block \d+/,
  },
  {
    what: 'an event twice, with digests that fit',
    lie: (place, manifest) => {
      const twice = textOf(place, manifest, 1)[0] ?? ''
      rewrite(place, manifest, 1, (lines) => [twice, ...lines])
      recount(manifest, 1, 1)
      redigest(manifest, place)
    },
    sentence: /has events out of order: the first block that may differ is \d+/,
  },
]

const unrevoked = '"revoked":false,"revokeTimestamp":null,"revokeReason":null'

function isAttestation(line: string): boolean {
  return line.startsWith('{"type":"attestation"')
}

/** A life with many events of each kind. */
function longLife() {
  const lives = fc.sample(steps(150), { numRuns: 20, seed: 4 })
  return lives.reduce((longest, life) => (life.length > longest.length ? life : longest))
}

/** Seconds far above the time of any block. */
const farTime = 2n ** 40n

/** The attestation of an event as one that a read near its block found revoked, without an event. */
function bornRevoked(event: DomainEvent): DomainEvent {
  if (event.kind !== 'attestationMade') return event
  const revocationAtRead = { kind: 'supposed', timestamp: farTime } as const
  return { ...event, attestation: { ...event.attestation, revocationAtRead } }
}

function sampleBlocks(): readonly GeneratedBlock[] {
  return generateBlocks(
    chainId,
    [],
    fc.sample(steps(150), { numRuns: 1, seed: 4 })[0]?.slice(0, 150) ?? [],
    'sample',
  )
}

type StoredBlocks = Pick<ExchangeStore, 'openWriter'>

/** Applies blocks as final ones. */
async function applyBlocks(
  store: StoredBlocks,
  blocks: readonly GeneratedBlock[],
  ofChain = chainId,
): Promise<void> {
  const [first, last] = [blocks[0], blocks.at(-1)]
  const writer = store.openWriter()
  try {
    await writer.openChain(identityOf(ofChain))
    if (first === undefined || last === undefined) return
    await writer.applyBlocks(ofChain, {
      fromBlock: first.number,
      checkpoint: { blockNumber: last.number, timestamp: last.timestamp },
      events: blocks.flatMap(({ events }) => events),
      recentBlocks: [],
      forgetBlocksBelow: last.number,
      storedAt,
    })
  } finally {
    await writer.close()
  }
}

async function publish(store: ExchangeStore, place: MemoryPlace, textLength: number): Promise<void> {
  const reader = store.openReader()
  try {
    const chains = [{ chainId, finality, transactionSenders: false }]
    await publishChunks({ reader, chains, place, program: '0.0.0-test', key: null, textLength, signal })
  } finally {
    await reader.close()
  }
}

async function honest(from: ExchangeStore): Promise<MemoryPlace> {
  const place = createMemoryPlace()
  await publish(from, place, 1_000)
  return place
}

async function replay(
  place: MemoryPlace,
  into: ExchangeStore,
  check: ChainCheck = trusting,
  mayBeBornRevoked = () => true,
): Promise<readonly ReplayedChain[]> {
  const manifest = await fetchManifest(place, null, signal)
  return await replayChunks({
    chains: manifest.chains.map((published) => ({ place, published })),
    restore: into.openRestore(),
    ...{ ...checks, check, mayBeBornRevoked },
    storedAt,
    onProgress: () => undefined,
    onBuild: () => undefined,
  })
}

/** Indexes published events up to a block, as an indexer does beside other chains. */
async function join(
  place: MemoryPlace,
  into: ExchangeStore,
  lastBlock: number,
  define: DefineSchema = ({ definition }) => definition,
): Promise<void> {
  const [published] = (await fetchManifest(place, null, signal)).chains
  const fromBlock = await nextBlock(into)
  const toBlock = Math.min(lastBlock, published?.block ?? -1)
  if (published === undefined || toBlock < fromBlock) return
  const range = { fromBlock, toBlock }
  const chain = { place, published }
  await checkPublished(checks, chain, range)
  const writer = into.openWriter()
  try {
    await writer.openChain(identityOf(chainId))
    let next = fromBlock
    for await (const { events, ...read } of readPublished(checks, chain, range, define)) {
      await writer.applyBlocks(chainId, {
        fromBlock: next,
        checkpoint: { blockNumber: read.toBlock, timestamp: null },
        events,
        recentBlocks: [],
        forgetBlocksBelow: 0,
        storedAt,
      })
      next = read.toBlock + 1
    }
  } finally {
    await writer.close()
  }
}

/** The first block of the chain that a store lacks. */
async function nextBlock(store: ExchangeStore): Promise<number> {
  const reader = store.openReader()
  try {
    const chain = (await reader.listChains()).find(({ status }) => status.chainId === chainId)
    return (chain?.status.indexedBlock ?? -1) + 1
  } finally {
    await reader.close()
  }
}

/** The findings of an audit in derived rows: lists, rank trees, counts, and all else that follows from events. */
async function findContradictions(store: ExchangeStore): Promise<readonly unknown[]> {
  const audit = store.openAudit()
  try {
    return await Array.fromAsync(audit.findContradictions())
  } finally {
    await audit.close()
  }
}

/** The export of a store without times. */
async function exportStore(store: ExchangeStore): Promise<readonly string[]> {
  const reader = store.openReader()
  try {
    return await exportOf(reader)
  } finally {
    await reader.close()
  }
}

async function withStores(
  create: () => Promise<ExchangeStore>,
  run: (from: ExchangeStore, into: ExchangeStore) => Promise<void>,
): Promise<void> {
  const [from, into] = [await create(), await create()]
  try {
    await run(from, into)
  } finally {
    await from.remove()
    await into.remove()
  }
}

function readManifestFile(place: MemoryPlace): Manifest {
  return JSON.parse(Buffer.from(place.files.get(manifestPath) ?? []).toString()) as Manifest
}

function chunksOf(manifest: Manifest) {
  return manifest.chains[0]?.chunks ?? []
}

function chunkAt(manifest: Manifest, index: number) {
  const chunk = chunksOf(manifest)[index]
  if (chunk === undefined) throw new Error(`there is no chunk ${index}`)
  return chunk
}

function textOf(place: MemoryPlace, manifest: Manifest, index: number): readonly string[] {
  const file = place.files.get(chunkAt(manifest, index).path) ?? new Uint8Array()
  return zstdDecompressSync(file).toString().trimEnd().split('\n')
}

/** Changes the lines of a chunk; the manifest tells hash and size of the changed file. */
function rewrite(
  place: MemoryPlace,
  manifest: Manifest,
  index: number,
  change: (lines: readonly string[]) => readonly string[],
): void {
  const text = Buffer.from(
    change(textOf(place, manifest, index))
      .map((line) => `${line}\n`)
      .join(''),
  )
  put(place, chunkAt(manifest, index), zstdCompressSync(text), text.length)
}

function put(
  place: MemoryPlace,
  chunk: Manifest['chains'][number]['chunks'][number],
  file: Uint8Array,
  textBytes: number,
): void {
  place.files.set(chunk.path, file)
  Object.assign(chunk, { sha256: hash('sha256', file), bytes: file.length, textBytes })
}

function recount(manifest: Manifest, index: number, by: number): void {
  chunkAt(manifest, index).events += by
  const [chain] = manifest.chains
  if (chain !== undefined) chain.events += by
}

/** Makes all digests of the manifest those of the lines. */
function redigest(manifest: Manifest, place: MemoryPlace): void {
  let sum = emptyDigest
  for (const [index, chunk] of chunksOf(manifest).entries()) {
    const events = textOf(place, manifest, index).flatMap((line) => {
      const parsed = parseExportLine(line, 0)
      return parsed.kind === 'event' ? [parsed.stored.event] : []
    })
    sum = addToDigest(sum, events)
    chunk.digest = formatSum(sum)
    const [chain] = manifest.chains
    if (chain !== undefined) chain.digest = chunk.digest
  }
}
