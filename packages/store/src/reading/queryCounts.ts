import { StoreTooMuchWorkError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { TakeTurn } from '@attestry/core/model/threadTurns.ts'
import type { AttestationFilter, SchemaFilter } from '@attestry/core/index/indexQueries.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { resolveParts, type FilterPart, type ResolvedFilter } from './attestationFilter.ts'
import { chooseWalk } from './chooseWalk.ts'
import { rowCostOf } from './holdingCondition.ts'
import { countWholeDays, findAttestationCount, findSchemaCount } from './knownCounts.ts'
import { listKnownChains } from './knownChains.ts'
import { checkedFields, checkedRowsMax, createPayloadCheck } from './payloadCheck.ts'
import { beginRange, type WalkArm, type WalkRange } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { readRows } from './sliceAttestations.ts'
import { chooseSchemaWalk, schemasUpToCut } from './sliceSchemas.ts'
import {
  sumOf,
  tallyRows,
  type CountBudget,
  type Effort,
  type TallyKey,
  type TallyPlan,
} from './tallyRows.ts'

/** The result of a count, and whether it was made from rows, which is worth remembering. */
export interface Counted<Result> {
  readonly result: Result
  readonly isFromRows: boolean
}

/** Counts within an effort; resolves to null if that takes more. */
export type CountWork<Result> = (session: ReadSession, effort: Effort) => Promise<Counted<Result> | null>

/** The ways in which the reader of a database runs counts. */
export interface CountRuns {
  /** Runs a read that sees one state of the index. */
  run<Result>(work: (session: ReadSession) => Promise<Result>): Promise<Result>
  /**
   * Runs a long count in a state of its own, so that other reads need not wait.
   * @param turn taken before each step if reads share their thread; else those of the thread.
   * @throws StoreTooMuchWorkError beyond the budget; whatever `turn` rejects with.
   */
  countLong<Result>(work: CountWork<Result>, budget: CountBudget, turn?: TakeTurn): Promise<Result>
}

/** Runs the count of a key, or finds its result remembered. */
export type RunCount<Result> = (key: string, work: CountWork<Result>, turn?: TakeTurn) => Promise<Result>

/**
 * Counts that no counter holds are made from rows: few rows at once, more of them by `countLong`. Up to `rememberedMax`
 * of them are remembered until the version moves. Concurrent callers share one long count, which takes the turns of the
 * first caller. If these end, the next caller counts.
 */
export function createCounts<Result>(
  { run, countLong }: CountRuns,
  budget: CountBudget,
  rememberedMax: number,
): RunCount<Result> {
  const remembered = new Map<string, Promise<Result>>()
  let version = -1

  function countApart(key: string, work: CountWork<Result>, turn?: TakeTurn): Promise<Result> {
    const result = countLong(work, budget, turn)
    remembered.set(key, result)
    result.catch((error: unknown) => {
      // A count that was too much stays too much; one that failed otherwise may succeed next time.
      if (!(error instanceof StoreTooMuchWorkError) && remembered.get(key) === result) remembered.delete(key)
    })
    return result
  }

  const count: RunCount<Result> = async (key, work, turn) => {
    const { known, made } = await run(async (session) => {
      if (session.snapshot.version !== version || remembered.size > rememberedMax) remembered.clear()
      version = session.snapshot.version
      // A count that is under way is waited for outside of this read, which keeps its connection from others.
      const found = remembered.get(key)
      if (found !== undefined) return { known: found, made: null }
      const made = await work(session, { rowsMax: budget.atOnceMax, pace: null })
      if (made?.isFromRows === true) remembered.set(key, Promise.resolve(made.result))
      return { known: undefined, made }
    })
    if (made !== null) return made.result
    const shared = known ?? remembered.get(key)
    if (shared === undefined) return await countApart(key, work, turn)
    try {
      return await shared
    } catch (error) {
      // Any other error may come only from the turns of the first caller.
      if (error instanceof StoreTooMuchWorkError || error instanceof StoreUnavailableError) throw error
      return await count(key, work, turn)
    }
  }
  return count
}

/** The counts of one reader. */
export interface QueryCounts {
  countAttestations(filter: AttestationFilter, turn?: TakeTurn): Promise<number>
  countSchemas(filter: SchemaFilter, turn?: TakeTurn): Promise<number>
}

const rememberedMax = 1_000

export function createQueryCounts(
  runs: CountRuns,
  budget: CountBudget,
  decodePayload: DecodePayload,
): QueryCounts {
  const count = createCounts<number>(runs, budget, rememberedMax)
  return {
    countAttestations: (filter, turn) =>
      count(
        `attestations ${JSON.stringify(filter)}`,
        async (session, effort) =>
          countPlanned(session, await planAttestations(session, filter, decodePayload), effort),
        turn,
      ),
    countSchemas: (filter, turn) =>
      count(
        `schemas ${JSON.stringify(filter)}`,
        async (session, effort) => countPlanned(session, await planSchemas(session, filter), effort),
        turn,
      ),
  }
}

/** The part of a count that counters hold, and the rows that must be counted besides. */
interface CountPlan {
  readonly known: number
  readonly plans: readonly TallyPlan[]
}

async function countPlanned(
  { connection }: ReadSession,
  { known, plans }: CountPlan,
  effort: Effort,
): Promise<Counted<number> | null> {
  if (plans.length === 0) return { result: known, isFromRows: false }
  const tally = await tallyRows(connection, plans, effort)
  return tally === null ? null : { result: known + sumOf(tally), isFromRows: true }
}

async function planAttestations(
  session: ReadSession,
  filter: AttestationFilter,
  decodePayload: DecodePayload,
): Promise<CountPlan> {
  const chains = await listKnownChains(session)
  const parts = chains.length === 0 ? [] : await resolveParts(session, filter)
  const plans: TallyPlan[] = []
  let known = 0
  for (const part of parts) {
    const plan = await planKnown(session, chains, part, decodePayload)
    known += plan?.known ?? 0
    plans.push(...(plan?.plans ?? [await planTally(session, chains, part.resolved, null, decodePayload)]))
  }
  return { known, plans }
}

/** A count of which counters hold all or a part; null if they hold nothing of it. */
async function planKnown(
  session: ReadSession,
  chains: readonly KnownChain[],
  { filter, resolved }: FilterPart,
  decodePayload: DecodePayload,
): Promise<CountPlan | null> {
  const count = await findAttestationCount(session, chains, filter, resolved)
  if (count !== null) return { known: count, plans: [] }
  const planRows = (rest: ResolvedFilter) => planTally(session, chains, rest, null, decodePayload)
  const days = await countWholeDays(session, resolved)
  if (days !== null) return { known: days.count, plans: await Promise.all(days.rests.map(planRows)) }
  if (resolved.revoked !== false) return null
  // Revoked attestations have indexes of their own, and are mostly fewer.
  const ofAll = { filter: { ...filter, revoked: null }, resolved: { ...resolved, revoked: null } }
  const all = await planKnown(session, chains, ofAll, decodePayload)
  if (all === null) return null
  const revoked = await planRows({ ...resolved, revoked: true })
  return { known: all.known, plans: [...all.plans, { ...revoked, sign: -1 }] }
}

/** The rows that pass a filter, to be counted by a key. */
export async function planTally(
  session: ReadSession,
  chains: readonly KnownChain[],
  filter: ResolvedFilter,
  key: TallyKey | null,
  decodePayload: DecodePayload,
): Promise<TallyPlan> {
  const { from, before } = filter
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  const walk = await chooseWalk(session, chains, filter)
  const payloads = createPayloadCheck(walk.decoded, decodePayload)
  const check = (payloads !== null || key?.isDecoded === true) && {
    passes: payloads?.passes ?? (() => true),
    read: (arm: WalkArm, part: WalkRange) =>
      readRows(session, { ...walk, arms: [arm] }, part, checkedRowsMax, checkedFields),
  }
  const readsRows =
    walk.condition.sql !== '' || walk.arms.some((arm) => arm.rowCondition !== null) || key?.readsRow === true
  const rowCost = readsRows || check !== false ? rowCostOf(filter) : entryCost
  return { ...walk, range, key, check: check || null, rowCost, sign: 1 }
}

/** The cost of an entry of an index whose row is not read: in SQLite 0.05 µs, where a row takes 5 µs. */
const entryCost = 1 / 64

async function planSchemas(session: ReadSession, asked: SchemaFilter): Promise<CountPlan> {
  const filter = await schemasUpToCut(session, asked)
  if (filter === null) return { known: 0, plans: [] }
  const known = await findSchemaCount(session, await listKnownChains(session), filter)
  if (known !== null) return { known, plans: [] }
  const walk = await chooseSchemaWalk(session, filter)
  if (walk === null) return { known: 0, plans: [] }
  const { registeredFrom: from, registeredBefore: before } = filter
  const range = beginRange({ order: 'newestFirst', after: null, from, before })
  return { known: 0, plans: [{ ...walk, range, key: null, check: null, rowCost: 1, sign: 1 }] }
}
