import type { ProtocolName } from '@attestry/core/model/records.ts'
import type { StoredAnchor } from '@attestry/core/index/storedRecords.ts'

/** How much of the journal is kept: rows beyond either limit are deleted, the oldest first. */
export interface JournalLimits {
  readonly rowsMax: number
  /** The age of a row, in milliseconds. */
  readonly ageMaxMs: number
}

/** Three days, as long as a hook tries again; a row takes some 50 bytes unless it lists what was reverted. */
export const journalDefault: JournalLimits = { rowsMax: 1_000_000, ageMaxMs: 3 * 24 * 3_600_000 }

/** Rows that one transaction deletes for their age: a clock set forward for a moment costs a few rows, not all. */
export const agedRowsMax = 16

/** Records that one row lists at most; more are listed by several rows. */
export const listedMax = 500

/**
 * Maximum number of records that a transaction lists; if more are reverted at once, its row says only that much has
 * changed.
 */
export const revertListedMax = 5_000

/**
 * One entry of a row that lists: a reverted record or event, with the summary it had and its protocol; or a claim that
 * was settled.
 */
export type ListedChange =
  | readonly [what: 'attestation' | 'schema' | 'revocation', summaryJson: string, protocol: ProtocolName]
  | readonly [what: 'anchor', anchor: StoredAnchor]
  | readonly [what: 'settled', position: number]
