import type {
  OffchainFilter,
  OffchainPlace,
  OffchainStore,
  StoredOffchain,
} from '../../offchainStore/offchainStore.ts'

/** Entries that are passed over at once. */
const passedMax = 1_000

/** Entries from a rank on, newest first. A rank is walked to: a store is small beside an index. */
export async function readRank(
  store: OffchainStore,
  filter: OffchainFilter,
  rank: number,
  limit: number,
): Promise<readonly StoredOffchain[]> {
  const order = 'newestFirst'
  let after: OffchainPlace | null = null
  for (let left = rank; left > 0;) {
    const request = { filter, order, after, limit: Math.min(left, passedMax) } as const
    const passed: readonly StoredOffchain[] = await store.slice(request)
    if (passed.length === 0) return []
    after = passed.at(-1) ?? after
    left -= passed.length
  }
  return await store.slice({ filter, order, after, limit })
}
