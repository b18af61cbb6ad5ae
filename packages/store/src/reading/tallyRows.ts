import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { Reads, SqlValue } from '../port/reads.ts'
import { checkedRowsMax } from './payloadCheck.ts'
import { armRows, findBoundary, type Walk, type WalkArm, type WalkRange } from './rowWalk.ts'
import { untilUnread } from './storedAttestation.ts'
import type { PlacedAttestation } from './sliceAttestations.ts'
import { allOf, noTerm } from './sqlTerms.ts'

/** By what the rows of a walk are counted. */
export interface TallyKey {
  /** The expression of the key, from columns of the arm. */
  of(arm: WalkArm): string
  /** Whether the expression reads the row of the attestation, not only the entry of the index. */
  readonly readsRow: boolean
  /** Whether the key is in the payload: rows are counted outside of the database. */
  readonly isDecoded?: boolean
  /** The same of a row that has been read. */
  ofRow(row: PlacedAttestation): SqlValue
}

/** The rows to be counted: those of a walk within a range. */
export interface TallyPlan extends Walk {
  readonly range: WalkRange
  /** By what rows are counted; null: all together. */
  readonly key: TallyKey | null
  /** The cost of passing over a row, in rows of the effort. */
  readonly rowCost: number
  /** Whether the rows are added to the counts or taken from them. */
  readonly sign: 1 | -1
  /** The comparison of rows outside of the database; null if there is nothing to compare. */
  readonly check: TallyCheck | null
}

export interface TallyCheck {
  /** The rows of an arm within a range that fulfil the condition. */
  read(arm: WalkArm, range: WalkRange): Promise<readonly PlacedAttestation[]>
  passes(row: PlacedAttestation): boolean
}

/** Most keys that one count holds. */
export const tallyKeysMax = 200_000

/** Counts by key; only by null if the plan has no key. Some may be below 0 if rows are taken from counts. */
export type Tally = Map<SqlValue, number>

/** How much work one count may be. */
export interface CountBudget {
  readonly rowsMax: number
  readonly durationMaxMs: number
  /** Rows that are counted like any other read; more of them on a connection of their own. */
  readonly atOnceMax: number
}

/** How much work a read may do where it runs. */
export interface Effort {
  readonly rowsMax: number
  /** The pace of a long read; null: the read is like any other. */
  readonly pace: Pace | null
}

/** Bounds the time of a long read, and divides it into steps. */
export interface Pace {
  /** Whether other reads wait for each step; otherwise statements may be as long as `rowsMax` permits. */
  readonly isShared: boolean
  /**
   * Waits for the turn of the next step; resolves to the number of rows that the step may pass over.
   * @throws StoreTooMuchWorkError once the time of the budget is used up.
   * @throws StoreUnavailableError when the reader is closed.
   */
  next(): Promise<number>
  /** @throws StoreTooMuchWorkError once this share of the time is used up. */
  goOn(share: number): void
}

/** A page whose rows are decoded for the count decodes them again when it is read. */
const shareOfChecks = 0.5

/**
 * The counts; null if more than `rowsMax` rows would be passed over for them, or there are more than `tallyKeysMax`
 * keys.
 */
export async function tallyRows(
  reads: Reads,
  plans: readonly TallyPlan[],
  { rowsMax, pace }: Effort,
): Promise<Tally | null> {
  if (pace === null && plans.some(({ check }) => check !== null)) return null
  const tally: Tally = new Map()
  let rowsLeft = rowsMax
  for (const plan of plans) {
    const inSteps = pace !== null && (pace.isShared || plan.check !== null)
    for (const arm of plan.arms) {
      const left = Math.floor(rowsLeft / plan.rowCost)
      const passed = inSteps
        ? await tallyInSteps(reads, plan, arm, left, pace, tally)
        : await tallyAtOnce(reads, plan, arm, left, tally)
      if (passed > left || tally.size > tallyKeysMax) return null
      rowsLeft -= passed * plan.rowCost
    }
  }
  return tally
}

/** The sum of all counts. */
export function sumOf(tally: ReadonlyMap<unknown, number>): number {
  let sum = 0
  for (const count of tally.values()) sum += count
  return sum
}

/**
 * Adds the rows of an arm by one statement, which returns the condition's outcome for the first `left + 1` rows that
 * the index has, in whatever order. Resolves to the number of rows passed over, at most one more than `left`.
 */
async function tallyAtOnce(
  reads: Reads,
  { range, condition, orderValueOf, key, sign }: TallyPlan,
  arm: WalkArm,
  left: number,
  tally: Tally,
): Promise<number> {
  const checks = allOf([condition, arm.rowCondition ?? noTerm])
  const readsRow = checks.sql !== '' || key?.readsRow === true
  const rows = armRows(arm, range, { condition: null, orderValueOf }, readsRow ? arm.join : '')
  const { bound } = reads.dialect
  const [columns, keyed, grouped] =
    key === null
      ? ['', 'NULL', '']
      : [`, ${key.of(arm)} AS key`, 'm.key', ` GROUP BY m.key LIMIT ${tallyKeysMax + 1}`]
  const found = await reads.all<[key: SqlValue, count: number, passed: number]>(
    `SELECT ${keyed}, count(*) FILTER (WHERE m.passes), count(*) ` +
      `FROM (SELECT ${checks.sql || 'true'} AS passes${columns} FROM ${rows.sql} LIMIT ${bound}) AS m${grouped}`,
    ...checks.parameters,
    ...rows.parameters,
    left + 1,
  )
  let passed = 0
  for (const [value, count, rowCount] of found) {
    add(tally, value, sign * count)
    passed += rowCount
  }
  return passed
}

/**
 * Adds the rows of an arm step by step. Resolves to the number of rows passed over, or to more than `left` beyond it.
 */
async function tallyInSteps(
  reads: Reads,
  plan: TallyPlan,
  arm: WalkArm,
  left: number,
  pace: Pace,
  tally: Tally,
): Promise<number> {
  const { check } = plan
  let { range } = plan
  let passed = 0
  for (;;) {
    const step = Math.min(
      Math.ceil((await pace.next()) / plan.rowCost),
      left - passed,
      check === null ? Infinity : checkedRowsMax,
    )
    if (step < 1) return left + 1
    const upTo = await findBoundary(reads, { ...plan, arms: [arm] }, range, step)
    const part = { ...range, upTo }
    if (check === null) await tallyPart(reads, plan, arm, part, tally)
    else await tallyChecked(plan, check, arm, part, pace, tally)
    if (tally.size > tallyKeysMax) return left + 1
    // The last step passes over fewer rows than it may.
    if (upTo === null) return passed
    passed += step
    range = { ...range, after: upTo }
  }
}

async function tallyPart(
  reads: Reads,
  { key, sign, ...walk }: TallyPlan,
  arm: WalkArm,
  range: WalkRange,
  tally: Tally,
): Promise<void> {
  const readsRow = walk.condition.sql !== '' || arm.rowCondition !== null || key?.readsRow === true
  const rows = armRows(arm, range, walk, readsRow ? arm.join : '')
  const [column, grouped] = key === null ? ['NULL', ''] : [key.of(arm), ' GROUP BY 1']
  const counted = await reads.all<[SqlValue, number]>(
    `SELECT ${column}, count(*) FROM ${rows.sql}${grouped}`,
    ...rows.parameters,
  )
  for (const [value, count] of counted) add(tally, value, sign * count)
}

async function tallyChecked(
  { key, sign }: TallyPlan,
  check: TallyCheck,
  arm: WalkArm,
  range: WalkRange,
  pace: Pace,
  tally: Tally,
): Promise<void> {
  for (let rest = range; ;) {
    const rows = await check.read(arm, rest)
    const known = untilUnread(rows)
    for (const row of known) {
      pace.goOn(shareOfChecks)
      if (check.passes(row)) add(tally, key === null ? null : key.ofRow(row), sign)
    }
    const last = known.at(-1)
    if (known.length === rows.length || last === undefined) return
    rest = { ...rest, after: last.place }
  }
}

function add(tally: Tally, key: SqlValue, count: number): void {
  if (count !== 0) tally.set(key, (tally.get(key) ?? 0) + count)
}

/** The error of a count beyond its budget. */
export function tooMuchWork({ rowsMax, durationMaxMs }: CountBudget, cause?: unknown): StoreTooMuchWorkError {
  return new StoreTooMuchWorkError('more rows would have to be counted than one answer may cost', {
    ...(cause === undefined ? {} : { cause }),
    facts: { rowsMax, durationMaxMs, keysMax: tallyKeysMax },
  })
}
