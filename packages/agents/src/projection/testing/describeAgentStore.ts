import { describe } from 'vitest'
import type { CreateQueryStore } from '@attestry/store/testing/indexQueriesContract.ts'
import { testAgentAudit, type CreateAuditedStore } from './testAgentAudit.ts'
import { testAgentDigest } from './testAgentDigest.ts'
import { testAgentPages } from './testAgentPages.ts'
import { testAgents } from './testAgents.ts'
import { testAgentsLate, type CreateBareStore } from './testAgentsLate.ts'
import { testAgentsAsOf } from './testAgentsAsOf.ts'
import { testAgentViews, type CreateViewedStore } from './testAgentViews.ts'

/**
 * The contract of agents over either database. `share` is the part of the usual number of random histories that is
 * tried.
 */
export function describeAgentStore(
  name: string,
  create: CreateAuditedStore & CreateViewedStore,
  createQueried: CreateQueryStore,
  createBare: CreateBareStore,
  share = 1,
): void {
  describe(name, () => {
    testAgents(create, share)
    testAgentDigest(create)
    testAgentPages(create)
    testAgentsAsOf(createQueried, share)
    testAgentViews(create)
    testAgentAudit(create, share)
    testAgentsLate(createBare)
  })
}
