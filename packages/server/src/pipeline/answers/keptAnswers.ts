import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import type { Answer } from './answer.ts'

/**
 * A cache of answers for one version of the index; those unused for longest are dropped first. Invariants:
 * 1. All cached answers belong to one version of the index. Caching one under another version drops all others.
 * 2. An answer is found only under the version that it was cached under.
 * 3. The bytes of all cached answers stay within the bound, compressed forms included once they are reported.
 */
export interface KeptAnswers {
  find(key: string, version: number): Answer | undefined
  /**
   * Whether an answer should be cached: its key was requested before, under this version or an earlier one. Most keys
   * of a crawl are requested once, and caching costs about half as much again as answering.
   */
  admits(key: string): boolean
  /** Caches an answer that was read entirely while the index stood at `version`. */
  keep(key: string, version: number, answer: Answer): void
  /** Must be called when a cached answer has grown by a compressed form. */
  recount(key: string, answer: Answer): void
  /** Bytes of all cached answers. */
  readonly byteSize: number
}

/** Bytes of a cached answer beside its body: map entry, objects, headers; rounded up. */
const overheadBytes = 1024

export function createKeptAnswers(bytesMax: number): KeptAnswers {
  let keptVersion = Number.NaN
  const entries = createRecentMap<string, KeptAnswer>(bytesMax, ({ bytes }) => bytes)
  // Each slot holds the hash of the last key that fell into it: a bounded, forgetful set.
  const askedFor = new Uint32Array(askedForSlots)

  function put(key: string, answer: Answer): void {
    const bytes = countBytes(key, answer)
    // One answer must not push out all others.
    if (bytes > bytesMax / 8) entries.delete(key)
    else entries.set(key, { answer, bytes })
  }

  return {
    find: (key, version) => (version === keptVersion ? entries.get(key)?.answer : undefined),
    admits(key) {
      const hash = hashKey(key)
      const slot = hash % askedForSlots
      if (askedFor[slot] === hash) return bytesMax > 0
      askedFor[slot] = hash
      return false
    },
    keep(key, version, answer) {
      if (version !== keptVersion) {
        entries.clear()
        keptVersion = version
      }
      put(key, answer)
    },
    recount(key, answer) {
      if (entries.get(key)?.answer === answer) put(key, answer)
    },
    get byteSize() {
      return entries.weight
    },
  }
}

/** The bytes are those at the last count: an answer grows by its compressed forms. */
interface KeptAnswer {
  readonly answer: Answer
  readonly bytes: number
}

/** Slots of the set of requested keys, 4 bytes each. */
const askedForSlots = 65_536

/** FNV-1a over the key's code units. Never 0, which marks an empty slot. */
function hashKey(key: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193)
  return hash >>> 0 || 1
}

function countBytes(key: string, { plain, compressed }: Answer): number {
  // A string takes a byte a character, or two as soon as one of them needs it.
  const { length } = plain.content
  let bytes = overheadBytes + key.length * 2 + (plain.byteLength === length ? length : length * 2)
  for (const { byteLength } of compressed?.values() ?? []) bytes += byteLength + overheadBytes
  return bytes
}
