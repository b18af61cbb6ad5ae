import type { BlockHeader } from '../chain/chainClient.ts'
import { formatCompositeId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import { positionBlock } from '../model/position.ts'
import type { ReadRevocation } from '../protocols/protocolAdapter.ts'
import type { Difference } from '../store/indexAudit.ts'
import type { StoredEvent } from '../store/indexRestore.ts'

/** The state of the contract that the index is compared with. */
export interface ComparedAt {
  /** The pinned block. Its time is in Unix seconds. */
  readonly block: Pick<BlockHeader, 'number' | 'timestamp'>
  /** Whether the contract may have been read at a later block: a revocation after the pinned block contradicts nothing. */
  readonly loose: boolean
  /** Whether the index knows the time of its checkpoint, which a rewind below the remembered blocks forgets. */
  readonly isCheckpointTimed: boolean
}

/** A revocation that differs, and the time of the block where its event would stand; null where none is to be looked for. */
export interface RevocationDifference {
  readonly difference: Difference
  readonly eventTimestamp: number | null
}

/**
 * Holds what is stored of an attestation's revocation against what its contract says at the pinned block. Four cases:
 * 1. Both know none. 2. Both know one: its times must be the same; one that was made revoked without a time has that of its making.
 * 3. The contract alone does: its event was lost, unless it is a claim that is still pending, or younger than the pinned block.
 * 4. The index alone does: the event that it goes by is none of the chain's, unless that event stands above the pinned block:
 *    the index may hold blocks that were reorganised away, and the state of the pinned block knows no later event.
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

/** A claim is settled once the checkpoint is past its time. While the time of the checkpoint is unknown, any claim may be pending. */
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
      // Where the index goes by an event, that event is what has to be looked at again.
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
