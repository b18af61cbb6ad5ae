/** A cache whose total weight is bounded. A value is never undefined. */
export interface RecentMap<Key, Value> {
  get(key: Key): Value | undefined
  /** Whether a value is cached; unlike `get`, this does not count as use. */
  has(key: Key): boolean
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
  /** The sum of the weights of all entries. It exceeds the bound only if a single entry is heavier than half of it. */
  readonly weight: number
}

/**
 * A cache of two generations, each of at most half the bound. `get` moves an entry to the young generation. When the
 * young generation is full, it becomes the old one, and unused entries of the old one are dropped. A full cache thus
 * keeps the entries in use. A map in the order of use would evict exactly, but deleting and reinserting a hot key
 * leaves a trail of deleted entries in its hash bucket: measured, three times slower.
 * @param weightMax the bound, in the unit of `weigh`; entries by default.
 * @param weigh must return the same weight for a value as long as the value is cached.
 */
export function createRecentMap<Key, Value>(
  weightMax: number,
  weigh: (value: Value, key: Key) => number = () => 1,
): RecentMap<Key, Value> {
  const generationMax = Math.ceil(weightMax / 2)
  let young = createGeneration<Key, Value>()
  let old = createGeneration<Key, Value>()

  function remove(generation: Generation<Key, Value>, key: Key): void {
    const value = generation.entries.get(key)
    if (value === undefined) return
    generation.entries.delete(key)
    generation.weight -= weigh(value, key)
  }

  function set(key: Key, value: Value): void {
    remove(young, key)
    const weight = weigh(value, key)
    if (young.weight + weight > generationMax) {
      old = young
      young = createGeneration()
    }
    young.weight += weight
    young.entries.set(key, value)
  }

  return {
    get: (key) => {
      const recent = young.entries.get(key)
      if (recent !== undefined) return recent
      const value = old.entries.get(key)
      if (value !== undefined) set(key, value)
      return value
    },
    has: (key) => young.entries.has(key) || old.entries.has(key),
    set,
    delete: (key) => {
      remove(young, key)
      remove(old, key)
    },
    clear: () => {
      young = createGeneration()
      old = createGeneration()
    },
    get weight() {
      return young.weight + old.weight
    },
  }
}

/** A pure function whose newest results are cached. Its results must not be undefined. */
export function rememberRecent<Argument, Result>(
  entriesMax: number,
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  const results = createRecentMap<Argument, Result>(entriesMax)
  return (argument) => {
    const known = results.get(argument)
    if (known !== undefined) return known
    const result = compute(argument)
    results.set(argument, result)
    return result
  }
}

interface Generation<Key, Value> {
  readonly entries: Map<Key, Value>
  weight: number
}

function createGeneration<Key, Value>(): Generation<Key, Value> {
  return { entries: new Map(), weight: 0 }
}
