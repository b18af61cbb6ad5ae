import type { LocalId } from '../model/compositeId.ts'
import type { DomainEvent } from '../model/domainEvent.ts'
import type { ProtocolName } from '../model/records.ts'
import type { UnixSeconds } from '../model/time.ts'

/**
 * Settles the claims of revocations of events whose records were read at the state of the last of their blocks. Every
 * revocation up to that state is among the events, unless its log is late; a claim without one is taken to belong to a
 * record that was born revoked.
 * Claims up to the time `since` stay as they are; null: all claims are settled.
 * `known`: the events whose revocations count, where they are more than `events`.
 */
export function settleClaims(
  events: readonly DomainEvent[],
  since: UnixSeconds | null,
  known: readonly DomainEvent[] = events,
): readonly DomainEvent[] {
  if (!events.some((event) => claimedTimestamp(event) !== null)) return events
  const revocations = new Set(
    known.flatMap((event) =>
      event.kind === 'attestationRevoked'
        ? [revocationKey(event.protocol, event.localId, BigInt(event.timestamp))]
        : [],
    ),
  )
  return events.map((event) => {
    const timestamp = claimedTimestamp(event)
    if (event.kind !== 'attestationMade' || timestamp === null) return event
    if (since !== null && timestamp <= BigInt(since)) return event
    const { protocol, key } = event.attestation
    const byEvent = revocations.has(revocationKey(protocol, key.localId, timestamp))
    const revocationAtRead = byEvent
      ? ({ kind: 'none' } as const)
      : ({ kind: 'supposed', timestamp } as const)
    return { ...event, attestation: { ...event.attestation, revocationAtRead } }
  })
}

/** The time of the claimed revocation of an event's record; null if it has no such revocation. */
export function claimedTimestamp(event: DomainEvent): bigint | null {
  return timestampAtRead(event, 'claimed')
}

/** The time of the revocation that an event's record is supposed to be born with; null if it has no such revocation. */
export function supposedTimestamp(event: DomainEvent): bigint | null {
  return timestampAtRead(event, 'supposed')
}

function timestampAtRead(event: DomainEvent, kind: 'claimed' | 'supposed'): bigint | null {
  if (event.kind !== 'attestationMade') return null
  const { revocationAtRead } = event.attestation
  return revocationAtRead.kind === kind ? revocationAtRead.timestamp : null
}

function revocationKey(protocol: ProtocolName, localId: LocalId, timestamp: bigint): string {
  return `${protocol} ${localId} ${timestamp}`
}
