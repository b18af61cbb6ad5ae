import type { BlockHeader, ChainClient } from '@attestry/core/chain/chainClient.ts'
import type { BlockRef } from '@attestry/core/model/chainState.ts'
import type { AuditedChain, Difference } from '@attestry/core/index/indexAudit.ts'
import { findCommonAncestor } from '@attestry/core/sync/reorganisation.ts'

/** The newest common block of index and chain. */
export interface CommonBlock {
  /** Null if nothing is indexed, or no remembered block is part of the chain. */
  readonly header: BlockHeader | null
  readonly differences: readonly Difference[]
}

/**
 * The newest block at which index and chain can be compared. Three cases:
 * 1. The checkpoint lies above the head of the chain: a difference, because the chain has no such block.
 * 2. The index remembers blocks: the newest of them that is part of the chain. The blocks above were reorganised away,
 *    as the indexer will find; it is a difference only if none of the remembered blocks is part of the chain.
 * 3. The index remembers no block: the checkpoint, whose block was final.
 */
export async function findCommonBlock(
  client: ChainClient,
  { identity, progress }: AuditedChain,
  finality: number,
  signal: AbortSignal,
): Promise<CommonBlock> {
  const { checkpoint, recentBlocks } = progress
  if (checkpoint === null) return { header: null, differences: [] }
  const head = await client.fetchHead(signal)
  const differ = (field: string, stored: string, expected: string, rewindTo: number): Difference => ({
    what: 'progress',
    chainId: identity.chainId,
    blockNumber: rewindTo,
    subject: `chain ${identity.chainId}`,
    field,
    stored,
    expected,
    remedy: 'rewind',
  })
  const differences: Difference[] = []
  // A node may lag a few blocks behind the indexed one.
  if (checkpoint.blockNumber > head.number + finality) {
    const to = Math.max(-1, head.number - finality)
    differences.push(differ('checkpoint', String(checkpoint.blockNumber), `at most ${head.number}`, to))
  }
  const newest = Math.min(checkpoint.blockNumber, head.number)
  const candidates = recentBlocks.filter((block) => block.number <= newest)
  const oldest = candidates[0]
  if (oldest === undefined) {
    const [header] = await client.fetchHeaders(newest, newest, signal)
    return { header: header ?? null, differences }
  }
  const headers = await client.fetchHeaders(oldest.number, newest, signal)
  const headerOf = (block: BlockRef) => headers.find(({ number }) => number === block.number)
  const ancestor = findCommonAncestor(candidates, headers)
  if (ancestor !== null) return { header: headerOf(ancestor) ?? null, differences }
  const tip = candidates.at(-1) ?? oldest
  const expected = headerOf(tip)?.hash ?? 'a block of the chain'
  return {
    header: null,
    differences: [...differences, differ('remembered blocks', tip.hash, expected, oldest.number - 1)],
  }
}
