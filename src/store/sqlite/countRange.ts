import { clampTimestamp, rankLevels } from '../layout/rankSpans.ts'
import { childCounts, type CountedList } from './locateOffset.ts'
import { listWalks } from './rankLists.ts'
import type { ReadSession } from './readSession.ts'

/** How many entries of a list have a timestamp at or after `from` and before `before`; null: without that bound. */
export function countRange(
  session: ReadSession,
  counted: CountedList,
  from: number | null,
  before: number | null,
): number {
  const end = before === null ? counted.count : countBefore(session, counted, before)
  return from === null ? end : Math.max(0, end - countBefore(session, counted, from))
}

/** Descends the rank tree along the moment, and counts what is left where a span is small. */
function countBefore(session: ReadSession, { list, count }: CountedList, before: number): number {
  const moment = clampTimestamp(Math.max(0, before))
  let inSpan = count
  let prefix = 0
  let sum = 0
  let first = 0
  for (const [level, { shift, bits }] of rankLevels.entries()) {
    if (inSpan <= session.rankThreshold) break
    const counts = childCounts(session, { list, count: inSpan }, level, prefix)
    const child = Math.floor(moment / 2 ** shift) % 2 ** bits
    for (const each of counts.subarray(0, child)) sum += each
    inSpan = counts[child] ?? 0
    prefix = prefix * 2 ** bits + child
    first = prefix * 2 ** shift
  }
  if (inSpan === 0) return sum
  const { from, timestamp } = listWalks[list.kind]
  const row = session.connection
    .statement<[number]>(`SELECT count(*) ${from} AND ${timestamp} >= ?3 AND ${timestamp} < ?4`)
    .get(list.ownerId, list.scopeId, first, before)
  return sum + (row?.[0] ?? 0)
}
