import type { BlockHeader } from '../chain/chainClient.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import type { IndexedBlocks } from './chainStep.ts'
import { fetchEvents, fetchHeadLogs, type EventSource, type ReadState } from './fetchEvents.ts'
import { assertLinked, assertOnChain } from './reorganisation.ts'
import { findUnannouncedAtHead } from './unannouncedRecords.ts'

/** The blocks above the checkpoint, as an endpoint has them. */
export type HeadBlocks =
  /** They do not follow the checkpoint, which was replaced. */
  | { readonly kind: 'replaced' }
  /** A contract made records in them, or in remembered blocks before, whose logs it left out. */
  | { readonly kind: 'leftOut'; readonly logs: readonly ChainLog[] }
  | FetchedHead

export interface FetchedHead {
  readonly kind: 'fetched'
  readonly headers: readonly BlockHeader[]
  readonly last: BlockHeader
  readonly logs: readonly ChainLog[]
  readonly events: readonly DomainEvent[]
  /** The state at which the records were read. */
  readonly at: ReadState
}

/**
 * Most headers of one step at the head. No known chain has more blocks above the final ones, so records are read at a
 * state that every node still keeps.
 */
const headersPerStepMax = 1_000

/**
 * Fetches the blocks after the checkpoint, up to the head if they are not too many.
 * @throws InconsistentChainError, retryable, if headers or logs are from two forks.
 */
export async function fetchHeadBlocks(
  source: EventSource,
  { blockNumber, recentBlocks: remembered }: IndexedBlocks,
  head: BlockHeader,
  signal: AbortSignal,
): Promise<HeadBlocks> {
  const fromBlock = blockNumber + 1
  const toBlock = Math.min(head.number, blockNumber + headersPerStepMax)
  // The head is fetched already; where it is the only block, nothing more is asked for.
  const headers =
    fromBlock === head.number ? [head] : await source.client.fetchHeaders(fromBlock, toBlock, signal)
  assertLinked(headers)
  const [first, last] = [headers[0], headers.at(-1)]
  if (first === undefined || last === undefined)
    throw new RangeError(`no blocks from ${fromBlock} to ${toBlock}`)
  const tip = remembered.at(-1)
  if (tip !== undefined && first.parentHash !== tip.hash) return { kind: 'replaced' }
  const logs = await fetchHeadLogs(source, headers, signal)
  assertOnChain(logs, headers)
  const leftOut = await findUnannouncedAtHead(source, source.silent, { remembered, headers }, logs, signal)
  if (leftOut.length > 0) return { kind: 'leftOut', logs: leftOut }
  const at = { kind: 'lastBlock', block: last, headers } as const
  const events = await fetchEvents(source, logs, at, signal)
  return { kind: 'fetched', headers, last, logs, events, at }
}
