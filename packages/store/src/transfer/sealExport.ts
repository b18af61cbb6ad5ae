import { createHash } from 'node:crypto'

/** The version of the format: moved when a line means something else, or what an import needs becomes more. */
export const exportVersion = 3
export const exportFormat = 'attestry-index'

/**
 * Makes the last line of an export: how many lines came before it, how many of each type, and the SHA-256 of them all
 * with their line ends. The line shows whether a file was cut or changed.
 */
export interface Seal {
  /** Takes the next line, without its end. */
  add(line: string): void
  /** The last line of the export; nothing may be added after it. */
  lastLine(): string
}

export function createSeal(): Seal {
  const hash = createHash('sha256')
  const counts = new Map<string, number>()
  let lineCount = 0
  return {
    add: (line) => {
      hash.update(line).update('\n')
      lineCount += 1
      const type = typePattern.exec(line)?.[1]
      if (type !== undefined) counts.set(type, (counts.get(type) ?? 0) + 1)
    },
    lastLine: () => {
      const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1))
      const sha256 = hash.digest('hex')
      return JSON.stringify({ type: 'end', lines: lineCount, counts: Object.fromEntries(sorted), sha256 })
    },
  }
}

/** The type of a line stands first in it. */
const typePattern = /^\{"type":"([A-Za-z]+)"/
