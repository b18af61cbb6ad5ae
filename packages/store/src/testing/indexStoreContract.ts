import { describe } from 'vitest'
import { testDigest } from './testDigest.ts'
import { testExtends } from './testExtends.ts'
import { testHooks } from './testHooks.ts'
import { testJournal } from './testJournal.ts'
import { testListings } from './testListings.ts'
import { testLongPayloads } from './testLongPayloads.ts'
import { testPortals } from './testPortals.ts'
import { testReorganisations } from './testReorganisations.ts'
import { testHeavySearch } from './testHeavySearch.ts'
import { testSearch } from './testSearch.ts'
import { testTopSchemas } from './testTopSchemas.ts'
import { testTrending } from './testTrending.ts'
import { testWriter } from './testWriter.ts'
import type { CreateTestStore } from './storeFactory.ts'

/**
 * The contract that every store must fulfil, whatever its database: the invariants of `IndexWriter` and the answers of
 * `IndexReader`, compared with a model that works them out the plain way. `share` is the part of the usual number of
 * random histories that is tried: a database over a network takes its time for each.
 */
export function describeIndexStore(name: string, create: CreateTestStore, share = 1): void {
  describeIndexWriter(name, create, share)
  describe(name, () => {
    testListings(create, share)
    testLongPayloads(create)
    testPortals(create)
    testTopSchemas(create, share)
    testSearch(create, share)
    testHeavySearch(create)
    testTrending(create, share)
    testJournal(create, share)
    testHooks(create, share)
  })
}

/** Only the invariants of `IndexWriter`, for a writer in front of a store that `describeIndexStore` describes. */
export function describeIndexWriter(name: string, create: CreateTestStore, share = 1): void {
  describe(name, () => {
    testReorganisations(create, share)
    testWriter(create)
    testExtends(create)
    testDigest(create)
  })
}
