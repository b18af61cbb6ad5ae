import { StoreTooMuchWorkError } from '../../errors/storeErrors.ts'
import type { AttestationFilter, SchemaFilter } from '../indexQueries.ts'
import { attestationOrder } from './sliceAttestations.ts'
import { resolveFilter } from './attestationFilter.ts'
import { chooseWalk } from './chooseWalk.ts'
import type { Connection } from './connection.ts'
import { findAttestationCount, findSchemaCount } from './knownCounts.ts'
import { listKnownChains } from './knownChains.ts'
import type { ReadSession } from './readSession.ts'
import {
  beginRange,
  countArm,
  type OrderValueOf,
  type SqlCondition,
  type WalkArm,
  type WalkRange,
} from './rowWalk.ts'
import { chooseSchemaWalk, schemaOrder } from './sliceSchemas.ts'
import { isStatementTimeout } from './translatePostgresError.ts'

/** How much work one count may be. */
export interface CountBudget {
  readonly rowsMax: number
  readonly durationMaxMs: number
  /** Rows that are counted like any other read; more of them on a connection of their own. */
  readonly atOnceMax: number
}

/** What is counted: the rows of disjoint arms within a range that fulfil a condition. */
interface CountPlan {
  readonly arms: readonly WalkArm[]
  readonly condition: SqlCondition
  readonly range: WalkRange
  readonly orderValueOf: OrderValueOf
}

/** Runs a read that sees one state of the index. */
export type RunRead = <Result>(work: (session: ReadSession) => Promise<Result>) => Promise<Result>

/** The counts of one reader. */
export interface QueryCounts {
  countAttestations(filter: AttestationFilter): Promise<number>
  countSchemas(filter: SchemaFilter): Promise<number>
}

/** Counts remembered, all of one version of the index. */
const rememberedMax = 1_000

/**
 * What the counters do not say is counted: few rows at once, more of them by `runLong`, which leaves other reads their connections.
 * Counts are remembered until the index moves; equal ones at one time are made once.
 */
export function createQueryCounts(run: RunRead, runLong: RunRead, budget: CountBudget): QueryCounts {
  const remembered = new Map<string, Promise<number>>()
  let version = -1

  async function count(
    key: string,
    find: (session: ReadSession) => Promise<number | CountPlan>,
  ): Promise<number> {
    const { known, made } = await run(async (session) => {
      if (session.snapshot.version !== version || remembered.size > rememberedMax) remembered.clear()
      version = session.snapshot.version
      // A count that is under way is waited for where it keeps no connection from others.
      const found = remembered.get(key)
      if (found !== undefined) return { known: found, made: null }
      const plan = await find(session)
      const count =
        typeof plan === 'number' ? plan : await countUpTo(session.connection, plan, budget.atOnceMax)
      return { known: undefined, made: count }
    })
    return await (known ?? made ?? countApart(key, find))
  }

  function countApart(
    key: string,
    find: (session: ReadSession) => Promise<number | CountPlan>,
  ): Promise<number> {
    const known = remembered.get(key)
    if (known !== undefined) return known
    const result = runLong(async (session) => {
      const plan = await find(session)
      return typeof plan === 'number' ? plan : await countAll(session.connection, plan, budget)
    })
    remembered.set(key, result)
    result.catch((error: unknown) => {
      // What was too much stays too much; anything else may go better next time.
      if (!(error instanceof StoreTooMuchWorkError) && remembered.get(key) === result) remembered.delete(key)
    })
    return result
  }

  return {
    countAttestations: (filter) =>
      count(`attestations ${JSON.stringify(filter)}`, (session) => findAttestations(session, filter)),
    countSchemas: (filter) =>
      count(`schemas ${JSON.stringify(filter)}`, (session) => findSchemas(session, filter)),
  }
}

async function findAttestations(
  session: ReadSession,
  filter: AttestationFilter,
): Promise<number | CountPlan> {
  const { connection } = session
  const [resolved, chains] = await Promise.all([resolveFilter(connection, filter), listKnownChains(session)])
  if (resolved === null || chains.length === 0) return 0
  const known = await findAttestationCount(session, chains, filter, resolved)
  if (known !== null) return known
  const { from, before } = resolved
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  return { ...(await chooseWalk(session, chains, resolved)), range, orderValueOf: attestationOrder(chains) }
}

async function findSchemas(session: ReadSession, filter: SchemaFilter): Promise<number | CountPlan> {
  const known = await findSchemaCount(session, await listKnownChains(session), filter)
  if (known !== null) return known
  const plan = await chooseSchemaWalk(session.connection, filter)
  if (plan === null) return 0
  const { registeredFrom: from, registeredBefore: before } = filter
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  return { arms: [plan.arm], condition: plan.condition, range, orderValueOf: schemaOrder }
}

/** The count where at most `rowsMax` rows tell it all; null where there are more than that. */
async function countUpTo(
  connection: Connection,
  { arms, condition, range, orderValueOf }: CountPlan,
  rowsMax: number,
): Promise<number | null> {
  let sum = 0
  let left = rowsMax
  for (const arm of arms) {
    const { count, passed } = await countArm(connection, arm, range, condition, left + 1, orderValueOf)
    if (passed > left) return null
    left -= passed
    sum += count
  }
  return sum
}

/** @throws StoreTooMuchWorkError beyond the budget. */
async function countAll(connection: Connection, plan: CountPlan, budget: CountBudget): Promise<number> {
  const { rowsMax, durationMaxMs } = budget
  await connection.exec(`SET LOCAL statement_timeout = ${durationMaxMs}`)
  try {
    const count = await countUpTo(connection, plan, rowsMax)
    if (count !== null) return count
  } catch (error) {
    if (!isStatementTimeout(error)) throw error
    throw new StoreTooMuchWorkError(tooMuchWork, { cause: error, facts: { rowsMax, durationMaxMs } })
  }
  throw new StoreTooMuchWorkError(tooMuchWork, { facts: { rowsMax, durationMaxMs } })
}

const tooMuchWork = 'more rows would have to be counted than one answer may cost'
