import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import type { ResolvedBlock } from '@attestry/server/pipeline/asOf/resolveBlock.ts'
import type { ProtocolChain } from '../serveDialect.ts'

/** The argument `block` of a root, in graph-node's form; GraphQL has checked the types. */
export interface BlockHeight {
  readonly hash?: unknown
  readonly number?: number | null
  readonly number_gte?: number | null
}

interface AskedChain {
  readonly reader: Pick<IndexReader, 'listChains'>
  readonly chain: ProtocolChain
}

/** The state of the chain of a request; undefined before anything of it is indexed. */
export async function findOverview({ reader, chain }: AskedChain): Promise<ChainOverview | undefined> {
  return (await reader.listChains()).find(({ status }) => status.chainId === chain.chainId)
}

/**
 * Holds the newest state against `block.number_gte` of a request.
 * @throws BadParameterError if the block is not indexed.
 */
export async function checkReached(asked: AskedChain, least: number): Promise<void> {
  const indexed = (await findOverview(asked))?.status.indexedBlock ?? -1
  if (indexed < least) {
    throw new BadParameterError(`block ${least} is not indexed yet; the newest indexed block is ${indexed}.`)
  }
}

/**
 * The answer of `_meta`: how far the chain is indexed; null before its first block.
 * @param past the block that is asked about, where that is not the newest one.
 */
export function metaOf(
  protocol: string,
  overview: ChainOverview | undefined,
  past: Pick<ResolvedBlock, 'number' | 'hash' | 'at'> | null = null,
): object | null {
  if (overview === undefined || overview.status.indexedBlock === null) return null
  const { chainId, indexedBlock, indexedTimestamp, phase } = overview.status
  const newest = { number: indexedBlock, timestamp: indexedTimestamp }
  return {
    deployment: `${protocol}-${chainId}`,
    block: past === null ? newest : { number: past.number, hash: past.hash, timestamp: past.at },
    hasIndexingErrors: phase === 'stopped' || overview.defect !== null,
  }
}
