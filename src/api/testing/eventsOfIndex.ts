import type { LocalId } from '../../model/compositeId.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import type { Hash } from '../../model/hex.ts'
import { eventPosition } from '../../model/position.ts'
import { unixSeconds } from '../../model/time.ts'
import type { MemoryIndex } from './createMemoryReader.ts'

/** The events by which a store comes to hold what a memory index holds. */
export function* eventsOfIndex(index: MemoryIndex): Generator<DomainEvent> {
  for (const schema of index.schemas) yield { kind: 'schemaRegistered', position: schema.position, schema }
  for (const attestation of index.attestations) {
    yield { kind: 'attestationMade', position: attestation.position, attestation }
  }
  let block = 4_000
  for (const [localId, revocation] of Object.entries(index.revocations)) {
    yield {
      kind: 'attestationRevoked',
      position: eventPosition(block++, 0),
      protocol: 'sign',
      localId: localId as LocalId,
      reason: revocation.reason,
      timestamp: unixSeconds(Number(revocation.timestamp)),
      transactionHash: revocation.transactionHash as Hash,
    }
  }
}
