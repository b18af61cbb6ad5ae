import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { RememberedBlock } from '@attestry/core/model/chainState.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { fieldsDefault } from '@attestry/host/fieldSetting.ts'
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
  const recentBlocks = lastBlocks(chain, last, Math.min(rememberedBlocks, opened.next - fromBlock))
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

function lastBlocks(chain: WorldChain, last: number, count: number): RememberedBlock[] {
  return Array.from({ length: count }, (_, index) => rememberedBlock(chain, last - count + 1 + index))
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
 * Fills a database by the builder of derived tables, as `attestry start --from` does: chain after chain. An interrupted
 * fill leaves nothing; does nothing if the database is full.
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
  const restore = opened.openRestore(fieldsDefault, true)
  const sum = { events: 0, storeSeconds: 0, cpuSeconds: 0 }
  const serverBefore = store.serverCpuSeconds()
  // SQLite does most of its work before it returns a promise.
  const measured = async (work: () => Promise<void>) => {
    const cpu = process.cpuUsage()
    const startMs = performance.now()
    await work()
    const { user, system } = process.cpuUsage(cpu)
    sum.storeSeconds += (performance.now() - startMs) / 1000
    sum.cpuSeconds += (user + system) / 1e6
  }
  for (const chain of world) {
    const { chainId, contracts, lastBlock } = chain
    await restore.openChain({ chainId, name: nameOf(chain), contracts })
    for (const events of batchesOf(chain)) {
      const stored = events.map((event) => ({ event, storedAt, settled: null, revocation: null }))
      await measured(() => restore.applyEvents(chainId, stored))
      sum.events += events.length
    }
    await restore.closeChain(chainId, {
      checkpoint: { blockNumber: lastBlock, timestamp: chain.timestampOf(lastBlock) },
      rewindTo: null,
      recentBlocks: lastBlocks(chain, lastBlock, Math.min(rememberedBlocks, lastBlock + 1)),
    })
    onProgress(`  ${sum.events} events loaded, ${Math.round(sum.events / sum.storeSeconds)} a second`)
  }
  await measured(restore.finish)
  const writer = opened.openWriter()
  await openWorld(writer, world)
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

/** The events of whole blocks of a chain, some thousands at a time. */
function* batchesOf(chain: WorldChain): Generator<readonly DomainEvent[]> {
  let events: DomainEvent[] = []
  for (let block = 0; block <= chain.lastBlock; block++) {
    events.push(...chain.eventsOf(block))
    if (events.length < eventsPerBatch) continue
    yield events
    events = []
  }
  if (events.length > 0) yield events
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
