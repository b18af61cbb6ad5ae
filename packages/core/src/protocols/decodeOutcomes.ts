import type { LocalId } from '../model/compositeId.ts'
import type { AnchorMade, DomainEvent } from '../model/domainEvent.ts'
import { type Address, type Hex, noBytes } from '../model/hex.ts'
import type { ChainLog, DecodeOutcome, Deployment, ReadResult } from './protocolAdapter.ts'

/** The outcomes of `decodeLog`, shared by all adapters. */

export function eventOutcome(...events: readonly DomainEvent[]): Extract<DecodeOutcome, { kind: 'events' }> {
  return { kind: 'events', events }
}

/** The members of a record that come from its log. */
export function originOf(
  { chainId, protocol }: Deployment,
  { position, transactionHash }: ChainLog,
  localId: LocalId,
  transactionSender: Address | null,
) {
  return { key: { chainId, localId }, position, transactionHash, transactionSender, protocol }
}

/** A revocation, whose time is that of its block. */
export function revocationOutcome(
  deployment: Deployment,
  log: ChainLog,
  localId: LocalId,
  reason: string,
): DecodeOutcome {
  return eventOutcome({
    kind: 'attestationRevoked',
    position: log.position,
    protocol: deployment.protocol,
    localId,
    reason,
    timestamp: log.blockTimestamp,
    transactionHash: log.transactionHash,
  })
}

/** An anchor of off-chain data, whose time is that of its block. */
export function anchorOutcome(
  deployment: Deployment,
  log: ChainLog,
  anchor: Pick<AnchorMade, 'anchor' | 'account' | 'value' | 'reason'>,
): DecodeOutcome {
  return eventOutcome({
    kind: 'anchorMade',
    position: log.position,
    protocol: deployment.protocol,
    timestamp: log.blockTimestamp,
    transactionHash: log.transactionHash,
    ...anchor,
  })
}

/** @param reason the answer of the node, as half a sentence. */
export function staleOutcome(reason: string): Extract<DecodeOutcome, { kind: 'staleRead' }> {
  return { kind: 'staleRead', reason }
}

/**
 * Whether a read returned no data because the state of the node is older than the contract. The contract existed when
 * the log was made.
 */
export function isOlderState(result: ReadResult): boolean {
  return result.kind === 'returned' && result.data === noBytes && result.codeExists !== true
}

/** The log is stored whole, with the reason why it cannot be decoded. */
export function undecodableOutcome(deployment: Deployment, log: ChainLog, reason: string): DecodeOutcome {
  return eventOutcome({
    kind: 'undecodableLog',
    position: log.position,
    protocol: deployment.protocol,
    contract: log.address,
    topics: log.topics,
    data: log.data,
    transactionHash: log.transactionHash,
    reason,
  })
}

/** Describes a revert only by its selector. The data may be long, and a message in it is not ours to repeat. */
export function describeRevert(data: Hex): string {
  return data === noBytes ? 'without a reason' : `with ${data.slice(0, 10)}`
}
