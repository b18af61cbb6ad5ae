import type { LocalId } from '../model/compositeId.ts'
import type { ProvenEvent, ProvenLog } from '../model/recordProof.ts'
import type { ProtocolName } from '../model/records.ts'
import type { IdentifiedEvent } from '../protocols/protocolAdapter.ts'
import { findProtocol } from '../protocols/registry.ts'

const kindOfEvent: Readonly<Record<ProvenEvent, IdentifiedEvent['kind']>> = {
  schema: 'schemaRegistered',
  attestation: 'attestationMade',
  revocation: 'attestationRevoked',
}

/** Whether a log is the given event of the record, by the adapter of its protocol. */
export function isEventOf(
  log: ProvenLog,
  claim: { readonly event: ProvenEvent; readonly protocol: ProtocolName; readonly localId: LocalId },
): boolean {
  const identified = findProtocol(claim.protocol)?.identifyEvent(log)
  return identified?.kind === kindOfEvent[claim.event] && identified.localId === claim.localId
}
