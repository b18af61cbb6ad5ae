import type { AttestationRevoked, UndecodableLog } from '@attestry/core/model/domainEvent.ts'

/** The stored form of a log that no rule can read: all of it, with the reason, as members of a JSON object. */
export function undecodableBody(log: UndecodableLog): string {
  return members({
    protocol: log.protocol,
    reason: log.reason,
    transactionHash: log.transactionHash,
    contract: log.contract,
    topics: log.topics,
    data: log.data,
  })
}

const unknownRecord = 'which is not indexed'

/** Why a revocation contradicts the index. */
export function describeAnomaly({ localId }: AttestationRevoked, isKnown: boolean): string {
  return `revocation of ${localId}, ${isKnown ? 'which is revoked already' : unknownRecord}`
}

/** Whether the body of a row is that of a revocation whose attestation the index lacks. */
export function isOfUnknownRecord({ reason }: { readonly reason: string }): boolean {
  return reason.startsWith('revocation of ') && reason.endsWith(unknownRecord)
}

/** The stored form of a revocation that contradicts the index. It changes nothing and stops nothing. */
export function anomalyBody(event: AttestationRevoked, reason: string): string {
  return members({
    protocol: event.protocol,
    reason,
    transactionHash: event.transactionHash,
    attestationId: event.localId,
    revokeReason: event.reason,
    revokeTimestamp: event.timestamp.toString(),
  })
}

function members(body: Record<string, unknown>): string {
  return JSON.stringify(body).slice(1, -1)
}
