/**
 * How many dictionary rows a writer remembers between its transactions, of addresses and of schemas each: some 250
 * bytes a row. What is over that is forgotten between two transactions, and read again when it is met.
 */
export const rememberedMax = {
  /** Of one that follows chains, and has the memory of the process nearly for itself. */
  indexing: 300_000,
  /** Of one that copies an index: rows that are met once are most of them, and few are met again soon. */
  copying: 50_000,
} as const
