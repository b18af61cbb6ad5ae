export interface LoaderOptions<Key, Value> {
  /** Equal for equal keys. */
  readonly keyOf: (key: Key) => string
  /** The values of the keys, in their order. */
  readonly load: (keys: readonly Key[]) => Promise<readonly Value[]>
  /** Most keys of one call of `load`. */
  readonly keysMax: number
}

/** Finds values by key. What is asked for in one turn is read together, and what was asked for once is not read again. */
export interface Loader<Key, Value> {
  load(key: Key): Promise<Value>
}

/** A loader for one request: it never forgets. */
export function createLoader<Key, Value>(options: LoaderOptions<Key, Value>): Loader<Key, Value> {
  const { keyOf, load, keysMax } = options
  const known = new Map<string, Promise<Value>>()
  let waiting: Waiting<Key, Value>[] = []

  async function readBatch(batch: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await load(batch.map(({ key }) => key))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const value = values[index]
        if (value === undefined) reject(new TypeError('the store answered fewer values than keys'))
        else resolve(value)
      }
    } catch (error) {
      for (const { reject } of batch) reject(error)
    }
  }

  function readWaiting(): void {
    const all = waiting
    waiting = []
    for (let start = 0; start < all.length; start += keysMax) {
      void readBatch(all.slice(start, start + keysMax))
    }
  }

  return {
    load(key) {
      const name = keyOf(key)
      const before = known.get(name)
      if (before !== undefined) return before
      const { promise, resolve, reject } = Promise.withResolvers<Value>()
      known.set(name, promise)
      waiting.push({ key, resolve, reject })
      if (waiting.length === 1) afterPromises(readWaiting)
      return promise
    },
  }
}

interface Waiting<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/** Runs work when every promise that is settled by now has been followed up: their followers may ask for more keys. */
function afterPromises(work: () => void): void {
  void Promise.resolve().then(() => process.nextTick(work))
}
