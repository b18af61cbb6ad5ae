/** The states of the content behind a pointer (docs/content.md, "States"). */
export const contentStates = ['verified', 'unverified', 'mismatch', 'missing', 'refused', 'pending'] as const

export type ContentState = (typeof contentStates)[number]

export interface KnownContent {
  readonly state: ContentState
  /** Why; empty if the state says all. */
  readonly sentence: string
  /** The content as compact JSON; null unless it is `verified` or `unverified`. */
  readonly json: string | null
  /** Whether there is JSON that was not read, because of a limit of the reader. */
  readonly isLeftOut?: boolean
}

/** The content behind the pointer of a record. */
export interface ShownContent extends KnownContent {
  /** The text of the record that leads there. */
  readonly pointer: string
}
