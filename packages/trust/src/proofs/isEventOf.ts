import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { ProvenEvent, ProvenLog } from '@attestry/core/model/recordProof.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { IdentifiedEvent } from '@attestry/core/protocols/protocolAdapter.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'

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
