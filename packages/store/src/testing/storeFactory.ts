import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { HookReads } from '@attestry/core/index/hookStore.ts'
import type { ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { BlockBatch, ChainIdentity, IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { addresses, type GeneratedBlock } from './generatedChain.ts'

export type TestReader = IndexReader & ChangeJournal & HookReads & Pick<IndexReader, 'findDigest'>

/** An empty store of its own, as a contract test needs it. */
export interface TestStore {
  openWriter(): IndexWriter
  openReader(): TestReader
  remove(): Promise<void>
}

export interface TestStoreOptions {
  /** The size above which lists are given whatever finds pages deep inside them. */
  readonly rankThreshold: number
}

export type CreateTestStore = (options: TestStoreOptions) => Promise<TestStore>

export const storedAt = unixMilliseconds(1_800_000_000_000)

export function identityOf(chainId: ChainId): ChainIdentity {
  const [address] = addresses
  if (address === undefined) throw new Error('there are addresses')
  return {
    chainId,
    name: `Chain ${chainId}`,
    contracts: [{ protocol: 'sign', address, schemaRegistry: null, startBlock: 0 }],
  }
}

/** The batch of consecutive blocks, remembered one by one. */
export function batchOf(blocks: readonly GeneratedBlock[], at = storedAt): BlockBatch {
  const [first, last] = [blocks[0], blocks.at(-1)]
  if (first === undefined || last === undefined) throw new Error('a batch has blocks')
  return {
    fromBlock: first.number,
    checkpoint: { blockNumber: last.number, timestamp: last.timestamp },
    events: blocks.flatMap((block) => block.events),
    recentBlocks: blocks.map(({ number, hash, parentHash, timestamp }) => ({
      number,
      hash,
      parentHash,
      timestamp,
    })),
    forgetBlocksBelow: 0,
    storedAt: at,
  }
}

export async function exportOf(reader: IndexReader, times = false): Promise<string[]> {
  const lines: string[] = []
  for await (const line of reader.exportLines({ times })) lines.push(line)
  return lines
}

/** The export of a reader, which is closed afterwards. */
export async function exportAndClose(reader: IndexReader, times = false): Promise<string[]> {
  try {
    return await exportOf(reader, times)
  } finally {
    await reader.close()
  }
}

/** Runs a test against an empty store, and removes it whatever happens. */
export async function withStore<Result>(
  create: CreateTestStore,
  options: TestStoreOptions,
  test: (writer: IndexWriter, reader: TestReader) => Promise<Result>,
): Promise<Result> {
  const store = await create(options)
  const writer = store.openWriter()
  const reader = store.openReader()
  try {
    return await test(writer, reader)
  } finally {
    await reader.close()
    await writer.close()
    await store.remove()
  }
}

/** A store of these chains, each applied at once. */
export async function fillStore(
  writer: IndexWriter,
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
): Promise<void> {
  for (const [chainId, blocks] of chains) {
    await writer.openChain(identityOf(chainId))
    if (blocks.length > 0) await writer.applyBlocks(chainId, batchOf(blocks))
  }
}
