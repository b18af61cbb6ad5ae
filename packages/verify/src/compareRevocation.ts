import type { BlockHeader } from '@attestry/core/chain/chainClient.ts'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { ReadRevocation } from '@attestry/core/protocols/protocolAdapter.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'

/** The state of the contract for the comparison. */
export interface ComparedAt {
  /** The pinned block. Its time is in Unix seconds. */
  readonly block: Pick<BlockHeader, 'number' | 'timestamp'>
  /**
   * Whether the contract may have been read at a later block; then a revocation after the pinned block contradicts
   * nothing.
   */
  readonly loose: boolean
  /** Whether the index knows the time of its checkpoint, which a rewind below the remembered blocks forgets. */
  readonly isCheckpointTimed: boolean
}

/** A differing revocation, with the time of the block of its event; null if there is no event to search. */
export interface RevocationDifference {
  readonly difference: Difference
  readonly eventTimestamp: number | null
}

/**
 * Compares the stored revocation of an attestation with the revocation in its contract at the pinned block. Four cases:
 * 1. Neither has one.
 * 2. Both have one: the times must be equal. A record that was born revoked without a time has the time of its
 *    creation.
 * 3. Only the contract has one: the event was lost, unless the claim is pending or younger than the pinned block.
 * 4. Only the index has one: the chain has no such event, unless the event stands above the pinned block. The index may
 *    hold blocks that were reorganised away, and the pinned state knows no later event.
 */
export function compareRevocation(
  stored: StoredEvent,
  onChain: ReadRevocation,
  at: ComparedAt,
): RevocationDifference | null {
  const { event } = stored
  if (event.kind !== 'attestationMade') return null
  const held = stored.revocation
  const isHeldAtPin =
    held !== null && (held.position === null || positionBlock(held.position) <= at.block.number)
  if (!onChain.revoked) return isHeldAtPin ? differ(event, held, null, null) : null
  const made = BigInt(event.attestation.attestTimestamp)
  const timestamp = onChain.timestamp === 0n ? made : onChain.timestamp
  if (held?.timestamp === timestamp) return null
  if (!isHeldAtPin && at.loose && timestamp > BigInt(at.block.timestamp)) return null
  if (held !== null) return differ(event, held, timestamp, null)
  if (isPending(stored, onChain.timestamp, at)) return null
  return differ(event, null, timestamp, timestamp >= made ? Number(timestamp) : null)
}

/** A claim is settled when the checkpoint passes its time. While that time is unknown, any claim may be pending. */
function isPending({ event, settled }: StoredEvent, timestamp: bigint, at: ComparedAt): boolean {
  if (event.kind !== 'attestationMade' || settled !== null) return false
  const { revocationAtRead } = event.attestation
  return (
    revocationAtRead.kind === 'claimed' &&
    revocationAtRead.timestamp === timestamp &&
    (timestamp >= BigInt(at.block.timestamp) || !at.isCheckpointTimed)
  )
}

function differ(
  event: DomainEvent & { readonly kind: 'attestationMade' },
  held: StoredEvent['revocation'],
  expected: bigint | null,
  eventTimestamp: number | null,
): RevocationDifference {
  return {
    difference: {
      what: 'revocation',
      chainId: event.attestation.key.chainId,
      // If the index has an event for the revocation, the block of that event has to be read again.
      blockNumber: positionBlock(held?.position ?? event.position),
      subject: formatCompositeId(event.attestation.key),
      field: 'revokeTimestamp',
      stored: held === null ? null : String(held.timestamp),
      expected: expected === null ? null : String(expected),
      remedy: 'reindex',
    },
    eventTimestamp,
  }
}
