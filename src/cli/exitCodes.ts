/** What the program's exit code says (docs/operating.md). */
export const exitCodes = {
  /** It did what was asked, or was asked to stop. */
  done: 0,
  failed: 1,
  misconfigured: 2,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
