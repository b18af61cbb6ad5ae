/** Rows kept: the changes of hours at the head, and of the last minutes of a backfill. */
export const journalRowsMax = 10_000

/** Records that one row lists at most; where more are taken back at once, the row says only that much has changed. */
export const listedMax = 500

/** One entry of a row that lists: what was taken back, with the summary it had; or a claim that was settled. */
export type ListedChange =
  | readonly [what: 'attestation' | 'schema' | 'revocation', summaryJson: string]
  | readonly [what: 'settled', position: number]
