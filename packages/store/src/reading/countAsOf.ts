import { listKind } from '../layout/listKinds.ts'
import type { PageRequest } from '@attestry/core/index/indexQueries.ts'
import { countRange } from './countRange.ts'
import { placeOfCut, type Cut, type CutTable } from './cut.ts'
import { locateOffset, pageBounds, type CountedList, type PageBounds } from './locateOffset.ts'
import { countSpan } from './readList.ts'
import type { ReadSession } from './session.ts'

/** Counts the entries that a list had as of a moment. The list covers only the chains that count. */
export async function countAsOf(session: ReadSession, cut: Cut, counted: CountedList): Promise<number> {
  return await countFromAsOf(session, cut, counted, null)
}

/** The same of entries at or after `from`, in Unix seconds. */
export async function countFromAsOf(
  session: ReadSession,
  cut: Cut,
  counted: CountedList,
  from: number | null,
): Promise<number> {
  if (counted.count === 0) return 0
  const place = await placeOfCut(session.connection, cut, tableOf(counted))
  if (place.last === null) return await countRange(session, counted, from, place.before)
  const divided = { first: Math.max(place.from, from ?? 0), before: place.before, last: place.last }
  const [before, within] = await Promise.all([
    countRange(session, counted, from, place.from),
    countSpan(session.connection, counted.list, divided.first, divided.before, divided.last),
  ])
  return before + within
}

/** The table of the rows of a list. */
export function tableOf({ list: { kind } }: CountedList): CutTable {
  return kind === listKind.schemas || kind === listKind.schemasOfRegistrant ? 'schema' : 'attestation'
}

/** A page of the union of disjoint lists: how many entries the union has, and where the page lies; null: nowhere. */
export interface FoundPage {
  readonly total: number
  readonly bounds: PageBounds | null
}

export async function findPage(
  session: ReadSession,
  lists: readonly CountedList[],
  request: PageRequest,
): Promise<FoundPage> {
  const { cut } = session
  if (cut !== null) return await findPageAsOf(session, cut, lists, request)
  const total = lists.reduce((sum, { count }) => sum + count, 0)
  return { total, bounds: await pageBounds(session, lists, total, request) }
}

/** The entries that do not count are the first ones of the union: it is in the order of the cut. */
async function findPageAsOf(
  session: ReadSession,
  cut: Cut,
  lists: readonly CountedList[],
  { page, size }: PageRequest,
): Promise<FoundPage> {
  const [first] = lists
  if (first === undefined) return { total: 0, bounds: null }
  const counts = await Promise.all(lists.map((list) => countAsOf(session, cut, list)))
  const total = counts.reduce((sum, count) => sum + count, 0)
  const offset = (page - 1) * size
  if (offset >= total) return { total, bounds: null }
  const limit = Math.min(size, total - offset)
  const { before, last } = await placeOfCut(session.connection, cut, tableOf(first))
  if (offset === 0 && last === null) return { total, bounds: { maxTimestamp: before - 1, skip: 0, limit } }
  const newer = lists.reduce((sum, { count }) => sum + count, 0) - total
  return { total, bounds: await locateOffset(session, lists, newer + offset, limit) }
}
