import type { Answer } from './answer.ts'

/**
 * Answers that were given since the index last moved, the least recently used ones dropped first.
 * Invariants:
 * 1. All kept answers belong to one version of the index; asking or keeping under a newer one drops them all.
 * 2. An answer is given out only for the very version that it was kept under.
 * 3. The bytes of what is kept stay within the bound, compressed forms included once they are reported.
 */
export interface KeptAnswers {
  find(key: string, version: number): Answer | undefined
  /** Keeps an answer that was read entirely while the index stood at `version`. */
  keep(key: string, version: number, answer: Answer): void
  /** To be called when a kept answer has grown by a compressed form. */
  recount(key: string, answer: Answer): void
  /** Bytes kept now. */
  readonly byteSize: number
}

/** What a kept answer takes beside its body: map entry, objects, headers. Measured with heap snapshots, rounded up. */
const overheadBytes = 1024

export function createKeptAnswers(bytesMax: number): KeptAnswers {
  let keptVersion = Number.NaN
  // A Map iterates in the order of insertion: an entry that is used is put in anew, so that the first is the oldest.
  const entries = new Map<string, { readonly answer: Answer; readonly bytes: number }>()
  let byteSize = 0

  function put(key: string, answer: Answer): void {
    const previous = entries.get(key)
    if (previous !== undefined) byteSize -= previous.bytes
    entries.delete(key)
    const bytes = countBytes(key, answer)
    // One answer must not push out all others.
    if (bytes > bytesMax / 4) return
    entries.set(key, { answer, bytes })
    byteSize += bytes
    for (const [oldestKey, oldest] of entries) {
      if (byteSize <= bytesMax) break
      entries.delete(oldestKey)
      byteSize -= oldest.bytes
    }
  }

  return {
    find(key, version) {
      if (version !== keptVersion) return undefined
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      entries.delete(key)
      entries.set(key, entry)
      return entry.answer
    },
    keep(key, version, answer) {
      if (version !== keptVersion) {
        entries.clear()
        byteSize = 0
        keptVersion = version
      }
      put(key, answer)
    },
    recount(key, answer) {
      if (entries.get(key)?.answer === answer) put(key, answer)
    },
    get byteSize() {
      return byteSize
    },
  }
}

function countBytes(key: string, answer: Answer): number {
  let bytes = overheadBytes + key.length * 2 + answer.plain.bytes.length
  for (const body of answer.compressed.values()) bytes += body.bytes.length + overheadBytes
  return bytes
}
