import type { LocalId } from '../../model/compositeId.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import type { Hash } from '../../model/hex.ts'
import { eventPosition, type Position } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { MemoryIndex } from './createMemoryReader.ts'

/** The events by which a store comes to hold what a memory index holds. */
export function* eventsOfIndex(index: MemoryIndex): Generator<DomainEvent> {
  for (const schema of index.schemas) yield { kind: 'schemaRegistered', position: schema.position, schema }
  for (const attestation of index.attestations) {
    yield { kind: 'attestationMade', position: attestation.position, attestation }
  }
  for (const [order, [localId, revocation]] of Object.entries(index.revocations).entries()) {
    yield {
      kind: 'attestationRevoked',
      position: revocationPosition(order),
      protocol: 'sign',
      localId: localId as LocalId,
      reason: revocation.reason,
      timestamp: unixSeconds(Number(revocation.timestamp)),
      transactionHash: revocation.transactionHash as Hash,
    }
  }
}

/** Where the revocations stand, one in each of the blocks after those of the records. */
export function revocationPosition(order: number): Position {
  return eventPosition(4_000 + order, 0)
}
