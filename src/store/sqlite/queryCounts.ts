import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import type { AttestationFilter, SchemaFilter } from '../indexQueries.ts'
import { resolveFilter } from './attestationFilter.ts'
import { chooseWalk } from './chooseWalk.ts'
import type { Connection } from './connection.ts'
import { countAtOnce, countInSteps, type CountBudget, type CountPlan } from './countInSteps.ts'
import { findAttestationCount, findSchemaCount } from './knownCounts.ts'
import { listKnownChains } from './knownChains.ts'
import { createReadSession, type ReadSession } from './readSession.ts'
import { beginRange } from './rowWalk.ts'
import { attestationOrder } from './sliceAttestations.ts'
import { chooseSchemaWalk, schemaOrder } from './sliceSchemas.ts'
import { createTurnQueue } from './turnQueue.ts'

/** The counts of one reader. */
export interface QueryCounts {
  countAttestations(session: ReadSession, filter: AttestationFilter): Promise<number>
  countSchemas(session: ReadSession, filter: SchemaFilter): Promise<number>
  /** Ends what is being counted. */
  close(): void
}

/** Counts remembered, all of one version of the index. */
const rememberedMax = 1_000

/**
 * What the counters do not say is counted on a connection of its own, which `open` opens, so that its snapshot can be held
 * for as long as the count takes. Counts are remembered until the index moves; equal ones at one time are made once.
 */
export function createQueryCounts(open: () => Connection, budget: CountBudget): QueryCounts {
  const turn = createTurnQueue()
  const remembered = new Map<string, Promise<number>>()
  let version = -1
  let isClosed = false

  /** `find` answers a number, or what must be counted for it. */
  function count(session: ReadSession, key: string, find: (session: ReadSession) => number | CountPlan) {
    if (session.snapshot.version !== version || remembered.size > rememberedMax) remembered.clear()
    version = session.snapshot.version
    const known = remembered.get(key)
    if (known !== undefined) return known
    const found = find(session)
    if (typeof found === 'number') return Promise.resolve(found)
    const atOnce = countAtOnce(session.connection, found, budget.firstStepRows)
    const result = atOnce === null ? countApart(find) : Promise.resolve(atOnce)
    remembered.set(key, result)
    result.catch((error: unknown) => {
      // What was too much stays too much; anything else may go better next time.
      if (!(error instanceof StoreTooMuchWorkError) && remembered.get(key) === result) remembered.delete(key)
    })
    return result
  }

  async function countApart(find: (session: ReadSession) => number | CountPlan): Promise<number> {
    await turn()
    const session = createReadSession(open(), 'whole')
    try {
      session.begin()
      const found = find(session)
      if (typeof found === 'number') return found
      return await countInSteps(session.connection, found, budget, turn, () => isClosed)
    } finally {
      session.close()
    }
  }

  return {
    countAttestations: (session, filter) =>
      count(session, `attestations ${JSON.stringify(filter)}`, (own) => findAttestations(own, filter)),
    countSchemas: (session, filter) =>
      count(session, `schemas ${JSON.stringify(filter)}`, (own) => findSchemas(own, filter)),
    close: () => {
      isClosed = true
    },
  }
}

function findAttestations(session: ReadSession, filter: AttestationFilter): number | CountPlan {
  const resolved = resolveFilter(session, filter)
  const chains = listKnownChains(session)
  if (resolved === null || chains.length === 0) return 0
  const known = findAttestationCount(session, chains, filter, resolved)
  if (known !== null) return known
  const { from, before } = resolved
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  return { ...chooseWalk(session, chains, resolved), range, orderValueOf: attestationOrder(chains) }
}

function findSchemas(session: ReadSession, filter: SchemaFilter): number | CountPlan {
  const known = findSchemaCount(session, listKnownChains(session), filter)
  if (known !== null) return known
  const plan = chooseSchemaWalk(session, filter)
  if (plan === null) return 0
  const { registeredFrom: from, registeredBefore: before } = filter
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  return { arms: [plan.arm], condition: plan.condition, range, orderValueOf: schemaOrder }
}
