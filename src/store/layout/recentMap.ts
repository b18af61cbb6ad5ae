/** What was asked for lately, up to a bound. */
export interface RecentMap<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  clear(): void
}

/**
 * A map of two generations of at most half the bound each: what is asked for moves to the young one, and when that is full, what was
 * not asked for since it began is forgotten. So a map that is full never has to be filled anew from nothing.
 */
export function createRecentMap<Key, Value>(entriesMax: number): RecentMap<Key, Value> {
  const generationMax = Math.ceil(entriesMax / 2)
  let young = new Map<Key, Value>()
  let old = new Map<Key, Value>()

  function set(key: Key, value: Value): void {
    if (young.size >= generationMax && !young.has(key)) {
      old = young
      young = new Map()
    }
    young.set(key, value)
  }

  return {
    get: (key) => {
      const recent = young.get(key)
      if (recent !== undefined) return recent
      const value = old.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    set,
    clear: () => {
      young = new Map()
      old = new Map()
    },
  }
}
