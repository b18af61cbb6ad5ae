import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'

/** A member that a capability adds to attestations. */
export interface Include {
  /** The description of the word in the reference: a clause that follows the word and a colon. */
  readonly description: string
  /**
   * The members of each attestation. In listings, a long payload may be missing (`unreadBytes`): the members have to say
   * so.
   */
  present(attestations: readonly StoredAttestation[]): Promise<readonly object[]>
  /** Whether the members can change while the index stays as it is: such answers are not kept. */
  readonly followsClock: boolean
}

/** By the words that ask for them. */
export type Includes = Readonly<Record<string, Include>>
