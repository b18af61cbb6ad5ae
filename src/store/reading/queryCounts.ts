import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { AttestationFilter, SchemaFilter } from '../indexQueries.ts'
import { resolveFilter } from './attestationFilter.ts'
import { chooseWalk, type AttestationWalkPlan } from './chooseWalk.ts'
import { countUpTo, type CountBudget, type CountCheck, type CountPlan } from './countRows.ts'
import { findAttestationCount, findSchemaCount } from './knownCounts.ts'
import { listKnownChains } from './knownChains.ts'
import { checkedRowsMax, createPayloadCheck, type PayloadCheck } from './payloadCheck.ts'
import { beginRange, type OrderValueOf } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { attestationOrder, readRows } from './sliceAttestations.ts'
import { chooseSchemaWalk, schemaOrder } from './sliceSchemas.ts'
import { wholeRecord } from './storedAttestation.ts'

/** Finds a count, or the rows that must be counted for it. */
export type FindCount = (session: ReadSession) => Promise<number | CountPlan>

/** How the reader of a database runs counts. */
export interface CountRuns {
  /** Runs a read that sees one state of the index. */
  run<Result>(work: (session: ReadSession) => Promise<Result>): Promise<Result>
  /**
   * Counts many rows in a state of its own, so that other reads need not wait.
   * @throws StoreTooMuchWorkError beyond the budget.
   */
  countLong(find: FindCount, budget: CountBudget): Promise<number>
}

/** The counts of one reader. */
export interface QueryCounts {
  countAttestations(filter: AttestationFilter): Promise<number>
  countSchemas(filter: SchemaFilter): Promise<number>
}

/** Counts remembered, all of one version of the index. */
const rememberedMax = 1_000

/**
 * Counts that no counter holds are made from rows: few rows at once, more of them by `countLong`. Counts are remembered until the
 * version moves; concurrent callers share one long count.
 */
export function createQueryCounts(
  { run, countLong }: CountRuns,
  budget: CountBudget,
  decodePayload: DecodePayload,
): QueryCounts {
  const remembered = new Map<string, Promise<number>>()
  let version = -1

  async function count(key: string, find: FindCount): Promise<number> {
    const { known, made } = await run(async (session) => {
      if (session.snapshot.version !== version || remembered.size > rememberedMax) remembered.clear()
      version = session.snapshot.version
      // A count that is under way is waited for outside of this read, which keeps its connection from others.
      const found = remembered.get(key)
      if (found !== undefined) return { known: found, made: null }
      const plan = await find(session)
      if (typeof plan === 'number') return { known: undefined, made: plan }
      const count = plan.check === null ? await countUpTo(session.connection, plan, budget.atOnceMax) : null
      if (count !== null) remembered.set(key, Promise.resolve(count))
      return { known: undefined, made: count }
    })
    return await (known ?? made ?? countApart(key, find))
  }

  function countApart(key: string, find: FindCount): Promise<number> {
    const known = remembered.get(key)
    if (known !== undefined) return known
    const result = countLong(find, budget)
    remembered.set(key, result)
    result.catch((error: unknown) => {
      // A count that was too much stays too much; one that failed otherwise may succeed next time.
      if (!(error instanceof StoreTooMuchWorkError) && remembered.get(key) === result) remembered.delete(key)
    })
    return result
  }

  return {
    countAttestations: (filter) =>
      count(`attestations ${JSON.stringify(filter)}`, (session) =>
        findAttestations(session, filter, decodePayload),
      ),
    countSchemas: (filter) =>
      count(`schemas ${JSON.stringify(filter)}`, (session) => findSchemas(session, filter)),
  }
}

async function findAttestations(
  session: ReadSession,
  filter: AttestationFilter,
  decodePayload: DecodePayload,
): Promise<number | CountPlan> {
  const chains = await listKnownChains(session)
  const resolved = await resolveFilter(session.connection, filter)
  if (resolved === null || chains.length === 0) return 0
  const known = await findAttestationCount(session, chains, filter, resolved)
  if (known !== null) return known
  const { from, before } = resolved
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  const orderValueOf = attestationOrder(chains)
  const plan = await chooseWalk(session, chains, resolved)
  const check = createPayloadCheck(plan.decoded, decodePayload)
  return { ...plan, range, orderValueOf, check: check && countCheck(session, plan, check, orderValueOf) }
}

function countCheck(
  session: ReadSession,
  plan: AttestationWalkPlan,
  { passes }: PayloadCheck,
  orderValueOf: OrderValueOf,
): CountCheck {
  return {
    rowsMax: checkedRowsMax,
    count: async (arm, range, goOn) => {
      const own = { ...plan, arms: [arm] }
      const rows = await readRows(session, own, range, checkedRowsMax, wholeRecord, orderValueOf)
      let count = 0
      for (const row of rows) {
        goOn()
        if (passes(row)) count += 1
      }
      return count
    },
  }
}

async function findSchemas(session: ReadSession, filter: SchemaFilter): Promise<number | CountPlan> {
  const known = await findSchemaCount(session, await listKnownChains(session), filter)
  if (known !== null) return known
  const plan = await chooseSchemaWalk(session.connection, filter)
  if (plan === null) return 0
  const { registeredFrom: from, registeredBefore: before } = filter
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  return { arms: [plan.arm], condition: plan.condition, range, orderValueOf: schemaOrder, check: null }
}
