import { childAt, clampTimestamp, rankLevels } from '../layout/rankSpans.ts'
import { childCounts, type CountedList } from './locateOffset.ts'
import { countSpan } from './readList.ts'
import type { ReadSession } from './session.ts'

/** How many entries of a list have a timestamp at or after `from` and before `before`; null: without that bound. */
export async function countRange(
  session: ReadSession,
  counted: CountedList,
  from: number | null,
  before: number | null,
): Promise<number> {
  const end = before === null ? counted.count : await countBefore(session, counted, before)
  return from === null ? end : Math.max(0, end - (await countBefore(session, counted, from)))
}

/** Descends the rank tree along the moment, and counts the rest one by one if a span is small. */
async function countBefore(
  session: ReadSession,
  { list, count }: CountedList,
  before: number,
): Promise<number> {
  const moment = clampTimestamp(Math.max(0, before))
  let inSpan = count
  let prefix = 0
  let sum = 0
  let first = 0
  for (const [level, spans] of rankLevels.entries()) {
    if (inSpan <= session.rankThreshold) break
    const counts = await childCounts(session, { list, count: inSpan }, level, prefix)
    const child = childAt(spans, moment)
    for (const each of counts.subarray(0, child)) sum += each
    inSpan = counts[child] ?? 0
    prefix = prefix * spans.children + child
    first = prefix * spans.seconds
  }
  return inSpan === 0 ? sum : sum + (await countSpan(session.connection, list, first, before))
}
