import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import { clockDay, daySeconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { ListedChange } from '../layout/journal.ts'
import type { Reads } from '../port/reads.ts'
import type { ReadSession } from './session.ts'

/** Counts by UTC day, in days since the epoch. */
export type DayCounts = Map<number, number>

/** Counts by day that are kept while the index moves. */
export interface KeptDays {
  /**
   * The counts of a key. Of a key that is known, only days on which records changed are counted anew.
   * @param count counts these days; all days if null. Resolves to null if that takes too much.
   */
  find(
    session: ReadSession,
    key: string,
    count: (days: ReadonlySet<number> | null) => Promise<DayCounts | null>,
  ): Promise<DayCounts | null>
}

interface Kept {
  /** The newest row of the journal that the counts include. */
  readonly sequence: number
  readonly days: DayCounts
}

/** Days that are kept of all keys; each takes some 50 bytes. */
const daysMax = 400_000

/** Rows of the journal, records and days that are looked at; more of them cost as much as a new count. */
const rowsMax = 2_000
const recordsMax = 20_000
const changedDaysMax = 64

export function createKeptDays(): KeptDays {
  const kept = createRecentMap<string, Kept>(daysMax, ({ days }) => days.size + 1)
  return {
    async find({ connection }, key, count) {
      const known = kept.get(key)
      const newest = await findNewest(connection)
      const changed = known === undefined ? null : await listChangedDays(connection, known.sequence, newest)
      const days = await count(changed)
      if (days === null) return null
      const found: DayCounts = changed === null ? days : new Map(known?.days)
      for (const day of changed ?? []) {
        const counted = days.get(day) ?? 0
        if (counted === 0) found.delete(day)
        else found.set(day, counted)
      }
      kept.set(key, { sequence: newest, days: found })
      return found
    },
  }
}

async function findNewest(reads: Reads): Promise<number> {
  const [sequence] = (await reads.get<[number | null]>('SELECT max(sequence) FROM change')) ?? []
  return sequence ?? 0
}

type JournalRow = [
  ordinal: number | null,
  firstPosition: number | null,
  lastPosition: number | null,
  bodyJson: string | null,
]

/**
 * The days of the attestations that came, went, were revoked or no longer are, since a row of the journal; null if they
 * are unknown or too many.
 */
async function listChangedDays(
  reads: Reads,
  since: number,
  newest: number,
): Promise<ReadonlySet<number> | null> {
  const days = new Set<number>()
  if (since === newest) return days
  const rows = await reads.all<[sequence: number, ...JournalRow]>(
    'SELECT j.sequence, c.ordinal, j.first_position, j.last_position, j.body_json FROM change j ' +
      `LEFT JOIN chain c ON c.chain_id = j.chain_id WHERE j.sequence >= ? ORDER BY j.sequence LIMIT ${rowsMax}`,
    since,
  )
  // The row itself has to be there: the journal may have been cut, or be that of another database.
  if (rows[0]?.[0] !== since || rows.at(-1)?.[0] !== newest) return null
  /** By the ordinals of chains. */
  const ranges = new Map<number, [first: number, last: number]>()
  const settled: bigint[] = []
  for (const [, ordinal, first, last, bodyJson] of rows.slice(1)) {
    if (ordinal === null) return null
    if (first !== null && last !== null) {
      const [start, end] = ranges.get(ordinal) ?? [first, last]
      ranges.set(ordinal, [Math.min(start, first), Math.max(end, last)])
      continue
    }
    if (bodyJson === null) return null
    // The writer made the text of such entries.
    for (const entry of JSON.parse(bodyJson) as readonly ListedChange[]) {
      if (entry[0] === 'settled') settled.push((BigInt(ordinal) << 53n) | BigInt(entry[1]))
      else if (entry[0] === 'attestation' || entry[0] === 'revocation') days.add(dayOfSummary(entry[1]))
    }
  }
  const found = await Promise.all([
    ...Array.from(ranges, ([ordinal, range]) => listDays(reads, ordinal, range)),
    daysOf(reads, settled),
  ])
  for (const each of found) {
    if (each === null) return null
    for (const day of each) days.add(day)
  }
  return days.size > changedDaysMax ? null : days
}

function dayOfSummary(summaryJson: string): number {
  const { attestTimestamp } = JSON.parse(`{${summaryJson}}`) as { readonly attestTimestamp: string }
  return clockDay(unixSeconds(Number(attestTimestamp)))
}

/** The days of the attestations that were made or revoked at positions of a chain; null if these are too many. */
async function listDays(
  reads: Reads,
  ordinal: number,
  positions: readonly [first: number, last: number],
): Promise<readonly number[] | null> {
  const { dialect } = reads
  const ids = positions.map((position) => (BigInt(ordinal) << 53n) | BigInt(position))
  const rowsOf = (from: string, column: string) =>
    reads.all<[day: number, count: number]>(
      `SELECT m.day, count(*) FROM (SELECT a.attest_timestamp / ${daySeconds} AS day FROM ${from} ` +
        `WHERE ${column} BETWEEN ? AND ? LIMIT ${recordsMax}) AS m GROUP BY 1`,
      ...ids,
    )
  const rows = await Promise.all([
    rowsOf('attestation a', 'a.id'),
    rowsOf(dialect.walked('attestation', 'a', 'attestation_by_revocation'), 'a.revoked_id'),
  ])
  const isWhole = rows.every((part) => part.reduce((sum, [, count]) => sum + count, 0) < recordsMax)
  return isWhole ? rows.flat().map(([day]) => day) : null
}

/** The days of attestations by their row ids; a later revert may have removed some, and lists them itself. */
async function daysOf(reads: Reads, ids: readonly bigint[]): Promise<readonly number[] | null> {
  if (ids.length === 0) return []
  if (ids.length > recordsMax) return null
  const rows = await reads.firstOf<[number]>(
    `SELECT a.attest_timestamp / ${daySeconds} FROM attestation a WHERE a.id = k.id`,
    { id: { type: 'int64', values: ids } },
  )
  return rows.flatMap((row) => row ?? [])
}
