export interface ExportLimits {
  /** Exports at the same time. Clients share them (`fairShares.ts`): one alone gets three, or four with a key. */
  readonly exportsMax: number
  /** A client that reads no bytes for this long is cut off: it occupies a place that another client could use. */
  readonly stallMs: number
  /** Characters a second that a client must take on average, once it was waited for as long as `stallMs`. */
  readonly leastRate: number
}

export const exportLimitDefaults: ExportLimits = {
  exportsMax: 16,
  stallMs: 60_000,
  leastRate: 16 * 1024,
}
