import { deserialize, serialize } from 'node:v8'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import type { Attestation } from '@attestry/core/model/records.ts'

/**
 * Packs events for another thread. Attestations become lists of their values: with the names of members, packing and
 * unpacking took 14.1 µs an event instead of 6.1.
 */
export function packEvents(events: readonly StoredEvent[]): Buffer<ArrayBuffer> {
  return serialize(events.map(packEvent))
}

export function unpackEvents(packed: Uint8Array): readonly StoredEvent[] {
  return (deserialize(packed) as readonly PackedEvent[]).map(unpackEvent)
}

type PackedEvent = StoredEvent | PackedAttestation
type PackedAttestation = ReturnType<typeof packAttestation>

function packEvent(stored: StoredEvent): PackedEvent {
  return stored.event.kind === 'attestationMade' ? packAttestation(stored, stored.event.attestation) : stored
}

function packAttestation({ storedAt, settled, revocation }: StoredEvent, attestation: Attestation) {
  return [
    storedAt,
    settled,
    revocation,
    attestation.position,
    attestation.transactionHash,
    attestation.transactionSender,
    attestation.key.chainId,
    attestation.key.localId,
    attestation.protocol,
    attestation.schemaLocalId,
    attestation.attester,
    attestation.attestTimestamp,
    attestation.recipients,
    attestation.indexingValue,
    attestation.linkedAttestation,
    attestation.validUntil,
    attestation.revocable,
    attestation.portal,
    attestation.contractVersion,
    attestation.subject,
    attestation.data,
    attestation.dataLocation,
    attestation.revocationAtRead,
  ] as const
}

function unpackEvent(packed: PackedEvent): StoredEvent {
  if (!isAttestation(packed)) return packed
  const position = packed[3]
  const attestation: Attestation = {
    position,
    transactionHash: packed[4],
    transactionSender: packed[5],
    key: { chainId: packed[6], localId: packed[7] },
    protocol: packed[8],
    schemaLocalId: packed[9],
    attester: packed[10],
    attestTimestamp: packed[11],
    recipients: packed[12],
    indexingValue: packed[13],
    linkedAttestation: packed[14],
    validUntil: packed[15],
    revocable: packed[16],
    portal: packed[17],
    contractVersion: packed[18],
    subject: packed[19],
    data: packed[20],
    dataLocation: packed[21],
    revocationAtRead: packed[22],
  }
  return {
    event: { kind: 'attestationMade', position, attestation },
    storedAt: packed[0],
    settled: packed[1],
    revocation: packed[2],
  }
}

function isAttestation(packed: PackedEvent): packed is PackedAttestation {
  return Array.isArray(packed)
}
