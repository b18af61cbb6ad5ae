import { currentTimeMs } from '../model/time.ts'
import type { IndexReader } from '../index/indexReader.ts'
import type { IndexWriter } from '../index/indexWriter.ts'
import { everyChain, type ChainShares } from './chainShares.ts'
import type { ChainIndexer } from './chainIndexer.ts'
import type { SyncLog } from './indexedChain.ts'

/**
 * Runs the indexers of all configured chains side by side until `signal` aborts. Each fails and recovers independently.
 * Chains in the index that are no longer configured get the status `paused`, so that readers know that they grow old.
 */
export async function runIndexer(
  indexers: readonly ChainIndexer[],
  store: { readonly reader: Pick<IndexReader, 'listChains'>; readonly writer: IndexWriter },
  log: SyncLog,
  signal: AbortSignal,
  shares: ChainShares = everyChain,
): Promise<void> {
  const configured = new Set(indexers.map((indexer) => indexer.status().chainId))
  for (const { status } of await store.reader.listChains()) {
    if (configured.has(status.chainId) || status.phase === 'paused') continue
    // Another process on the same database may index the chain.
    if (!(await store.writer.claimChain(status.chainId))) continue
    log('warn', `chain ${status.chainId} is in the index but not in the configuration: served, not indexed`, {
      chainId: status.chainId,
    })
    // The error of the chain and its share of chunks ended with its indexing. A defect is stored beside the status.
    const atRest = { eventsPerSecond: 0, fromChunks: null, lastError: null }
    const paused = { ...status, ...atRest, phase: 'paused' } as const
    await store.writer.saveChainStatus({ ...paused, updatedAt: currentTimeMs() })
    await store.writer.releaseChain(status.chainId)
  }
  const ended = new AbortController()
  const watched = shares.watch(AbortSignal.any([signal, ended.signal]))
  await Promise.all(indexers.map((indexer) => indexer.run(signal)))
  ended.abort()
  await watched
}
