import type { BlockHeader } from '../chain/chainClient.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import type { BlockRef } from '../model/chainState.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'

/**
 * The newest remembered block that is still part of the chain, by its hash; null if the chain has changed below all of
 * them. `remembered` and `canonical` ascend. Remembered blocks above the end of `canonical` are not part of the chain,
 * which has become shorter.
 */
export function findCommonAncestor(
  remembered: readonly BlockRef[],
  canonical: readonly BlockHeader[],
): BlockRef | null {
  const canonicalHashes = new Map(canonical.map((header) => [header.number, header.hash]))
  for (let i = remembered.length - 1; i >= 0; i--) {
    const block = remembered[i]
    if (block !== undefined && canonicalHashes.get(block.number) === block.hash) return block
  }
  return null
}

/**
 * Checks that headers form one chain, each the parent of the next. Nodes behind a load balancer may serve different
 * forks within one batch. Such an answer proves nothing and is requested again.
 * @throws InconsistentChainError, retryable.
 */
export function assertLinked(headers: readonly BlockHeader[]): void {
  for (let i = 1; i < headers.length; i++) {
    const parent = headers[i - 1]
    const child = headers[i]
    if (parent === undefined || child === undefined) continue
    if (child.number !== parent.number + 1 || child.parentHash !== parent.hash) {
      throw new InconsistentChainError(
        `the endpoints answer for two forks at once: block ${child.number} does not follow the block ${parent.number} they gave`,
        { retryable: true, facts: { block: child.number } },
      )
    }
  }
}

/**
 * Checks that every log stands in one of the blocks that `headers` describe.
 * @throws InconsistentChainError, retryable.
 */
export function assertOnChain(logs: readonly ChainLog[], headers: readonly BlockHeader[]): void {
  const hashes = new Map(headers.map((header) => [header.number, header.hash]))
  for (const log of logs) {
    if (hashes.get(log.blockNumber) === log.blockHash) continue
    throw new InconsistentChainError(
      `the endpoints give the logs of block ${log.blockNumber} on another fork than its header`,
      { retryable: true, facts: { block: log.blockNumber } },
    )
  }
}
