import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { RememberedBlock } from '@attestry/core/model/chainState.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { openBenchDatabase } from '../openBenchDatabase.ts'
import { eventsPerBatch } from '../sampleIndex.ts'
import { createWorldChain, type WorldChain } from './createWorldChain.ts'
import { chains } from './shape.ts'
import type { FillFigures, WorldDatabase, WorldStore } from './worldStores.ts'

/** The chains of the world in this share of their size. */
export function createWorld(share: number): readonly WorldChain[] {
  return chains.map((chain) => createWorldChain(chain, share, 1))
}

/** A chain that is open for writing, and the next block to write. */
export interface OpenWorldChain {
  readonly chain: WorldChain
  next: number
}

/** Opens the chains of the world for writing. Each goes on where it ended. */
export async function openWorld(
  writer: IndexWriter,
  world: readonly WorldChain[],
): Promise<readonly OpenWorldChain[]> {
  const opened: OpenWorldChain[] = []
  for (const chain of world) {
    const { chainId, contracts } = chain
    const { checkpoint } = await writer.openChain({ chainId, name: nameOf(chain), contracts })
    opened.push({ chain, next: (checkpoint?.blockNumber ?? -1) + 1 })
  }
  return opened
}

export function nameOf({ chainId }: WorldChain): string {
  return `Chain ${chainId}`
}

/** The time of storing of all records: fixed, so that filling twice gives the same file. */
const storedAt = unixMilliseconds(1_793_500_000_000)

/** Blocks at the end of a batch that the index remembers, as sync does near the head. */
const rememberedBlocks = 64

export interface BatchLimits {
  /** Ends the batch after the block that reaches this number of events. */
  readonly events: number
  /** The last block; by default a chain goes on after the end of its history. */
  readonly toBlock?: number
  /** As `BlockBatch.moreFollows`. */
  readonly moreFollows: boolean
}

/** The cost of applying a batch. */
export interface Applied {
  readonly events: number
  readonly seconds: number
  readonly cpuSeconds: number
}

/** Writes the next blocks of a chain as one batch. */
export async function applyNext(
  writer: IndexWriter,
  opened: OpenWorldChain,
  { events: eventsMax, toBlock = Infinity, moreFollows }: BatchLimits,
): Promise<Applied> {
  const { chain, next: fromBlock } = opened
  const events: DomainEvent[] = []
  while (opened.next <= toBlock && events.length < eventsMax) events.push(...chain.eventsOf(opened.next++))
  const last = opened.next - 1
  const recentBlocks = Array.from(
    { length: Math.min(rememberedBlocks, opened.next - fromBlock) },
    (_, index, length = Math.min(rememberedBlocks, opened.next - fromBlock)) =>
      rememberedBlock(chain, last - length + 1 + index),
  )
  const cpu = process.cpuUsage()
  const startMs = performance.now()
  await writer.applyBlocks(chain.chainId, {
    fromBlock,
    checkpoint: { blockNumber: last, timestamp: chain.timestampOf(last) },
    events,
    recentBlocks,
    forgetBlocksBelow: last - rememberedBlocks,
    storedAt,
    moreFollows: moreFollows && last < toBlock,
  })
  const { user, system } = process.cpuUsage(cpu)
  return {
    events: events.length,
    seconds: (performance.now() - startMs) / 1000,
    cpuSeconds: (user + system) / 1e6,
  }
}

function rememberedBlock(chain: WorldChain, number: number): RememberedBlock {
  const hashOf = (block: number) => `0x${block.toString(16).padStart(64, '0')}` as Hash
  return {
    number,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    timestamp: unixSeconds(chain.timestampOf(number)),
  }
}

/**
 * Fills a database by the normal loop, as a backfill of all chains at once does: their batches by turns. Continues an
 * interrupted fill; does nothing if the database is full.
 */
export async function fillWorld(
  store: WorldStore,
  database: WorldDatabase,
  world: readonly WorldChain[],
  onProgress: (line: string) => void,
): Promise<FillFigures> {
  const opened = await openBenchDatabase(database.url)
  // An earlier version of the program may have filled the database.
  await opened.migrate()
  const known = database.filled.read()
  if (known !== null) return known
  const writer = opened.openWriter()
  const serverBefore = store.serverCpuSeconds()
  const sum = { events: 0, storeSeconds: 0, cpuSeconds: 0 }
  let open = await openWorld(writer, world)
  let nextSaid = 250_000
  while (open.length > 0) {
    open = open.filter(({ chain, next }) => next <= chain.lastBlock)
    for (const each of open) {
      const limits = { events: eventsPerBatch, toBlock: each.chain.lastBlock, moreFollows: true }
      const { events, seconds, cpuSeconds } = await applyNext(writer, each, limits)
      sum.events += events
      sum.storeSeconds += seconds
      sum.cpuSeconds += cpuSeconds
    }
    if (sum.events < nextSaid) continue
    nextSaid += 250_000
    onProgress(`  ${sum.events} events, ${Math.round(sum.events / sum.storeSeconds)} a second in the store`)
  }
  await saveStatuses(writer, world)
  await writer.close()
  const figures = {
    ...sum,
    cpuSeconds: sum.cpuSeconds + store.serverCpuSeconds() - serverBefore,
    bytes: await database.measureBytes(),
  }
  database.filled.write(figures)
  return figures
}

/** Notes that every chain is at its head, as an indexer does. */
async function saveStatuses(writer: IndexWriter, world: readonly WorldChain[]): Promise<void> {
  for (const chain of world) {
    const block = chain.lastBlock
    const timestamp = unixSeconds(chain.timestampOf(block))
    await writer.saveChainStatus({
      chainId: chain.chainId,
      name: nameOf(chain),
      explorer: null,
      protocols: chain.contracts.map(({ protocol }) => protocol),
      phase: 'following',
      headBlock: block,
      headTimestamp: timestamp,
      indexedBlock: block,
      indexedTimestamp: timestamp,
      headSource: 'polling',
      fromChunks: null,
      reachedHead: true,
      eventsPerSecond: 0,
      blocksMended: 0,
      history: [],
      lastError: null,
      updatedAt: storedAt,
    })
  }
}
