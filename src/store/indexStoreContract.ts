import { describe } from 'vitest'
import { testListings } from './testing/testListings.ts'
import { testReorganisations } from './testing/testReorganisations.ts'
import { testSearch } from './testing/testSearch.ts'
import { testWriter } from './testing/testWriter.ts'
import type { CreateTestStore } from './testing/storeFactory.ts'

/**
 * What every store must show, whatever database is behind it: the invariants of `IndexWriter` and the answers of
 * `IndexReader`, compared with a model that works them out the plain way.
 */
export function describeIndexStore(name: string, create: CreateTestStore): void {
  describe(name, () => {
    testReorganisations(create)
    testListings(create)
    testSearch(create)
    testWriter(create)
  })
}
