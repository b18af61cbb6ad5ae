/**
 * Notices that a stream of events is dead though its connection counts as open. The index has more attestations than
 * before, and the stream has brought none of them by the next look.
 */
export interface StreamWatch {
  /** Notes an event of the stream. */
  hear(): void
  /** Compares the stream with the number of attestations, at each look at the chains. Returns whether it is dead. */
  look(attestationCount: number): boolean
}

export function createStreamWatch(): StreamWatch {
  let known: number | null = null
  let hasHeard = false
  let isOwed = false
  return {
    hear() {
      hasHeard = true
      isOwed = false
    },
    look(attestationCount) {
      const isDead = isOwed
      isOwed = !hasHeard && known !== null && attestationCount > known
      hasHeard = false
      known = attestationCount
      return isDead
    },
  }
}
