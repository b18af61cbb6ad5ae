import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { daySeconds } from '@attestry/core/model/time.ts'
import { endOf, everyAttestation, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { Skip, SkippedTo } from '../engine/rowSource.ts'
import type { WalkOrder } from '../engine/walkArms.ts'
import { placeAttestations } from '../engine/readByIds.ts'
import { rankedFilter } from './counts.ts'
import type { EasContext } from './easContext.ts'

type SkipContext = Pick<EasContext, 'reader' | 'newest' | 'budget' | 'countRows' | 'limits'>

/** Skipped rows are read without details. */
const summary = { detail: false, schema: false }

/**
 * Skips rows of a list that the index keeps: of everything, a schema, an attester or a recipient, each also by whether
 * they are revoked. Returns null for any other list.
 */
export async function skipTo(
  context: SkipContext,
  filter: AttestationFilter,
  skip: Skip,
): Promise<SkippedTo | null> {
  const ranked = rankedFilter(filter)
  if (ranked !== null) return await skipByRank(context, ranked, skip)
  // Below that, reading the rows costs less than the counts may.
  if (!isList(filter) || skip.count <= context.limits.rows / 2) return null
  try {
    return await skipByTime(context, filter, skip)
  } catch (error) {
    if (error instanceof StoreTooMuchWorkError) return null
    throw error
  }
}

async function skipByRank(
  context: SkipContext,
  filter: AttestationFilter,
  { order, count, wholeSeconds }: Skip,
): Promise<SkippedTo> {
  const { reader, countRows } = context
  // Pages begin with the newest row.
  const isFromNewest = order === 'newestFirst'
  const total = isFromNewest ? 0 : await countRows(() => reader.countAttestations(filter))
  const page = isFromNewest ? count : total - count + 1
  if (page < 1) return atEnd
  const { rows } = await reader.listAttestations({ filter }, { page, size: 1 }, summary)
  if (!wholeSeconds) {
    const [last] = await placeAttestations(context, rows, true)
    return { place: last?.place ?? null, left: 0 }
  }
  const second = rows[0]?.attestTimestamp
  if (second === undefined) return atEnd
  const before = isFromNewest ? { attestedFrom: second + 1 } : { attestedBefore: second }
  const passed = await countRows(() => reader.countAttestations({ ...filter, ...before }))
  return { place: placeBefore(second, order), left: count - passed }
}

const atEnd: SkippedTo = { place: null, left: 0 }

/** The place before all rows of a second. */
function placeBefore(second: number, order: WalkOrder): NonNullable<SkippedTo['place']> {
  // No chain is below 0.
  return { timestamp: order === 'newestFirst' ? second + 1 : second, chainId: -1, position: -1 }
}

/** Whether a filter is one of these lists, possibly by whether records are revoked. */
function isList(filter: AttestationFilter): boolean {
  const { schema, attester, recipient, chainId, protocol, revoked } = filter
  const list = { ...everyAttestation, schema, attester, recipient, chainId, protocol, revoked }
  return JSON.stringify(filter) === JSON.stringify(list) && (attester === null || recipient === null)
}

/** Rows that cost less to read than to halve further. */
const rowsAtOnce = 50

/**
 * Finds the last row to skip: counts halve the time of the list, first by days, down to a second or a few rows, which
 * are read. All rows but the revoked ones are in counters.
 */
async function skipByTime(
  context: SkipContext,
  filter: AttestationFilter,
  { order, count, wholeSeconds }: Skip,
): Promise<SkippedTo | null> {
  const { reader, budget } = context
  const isFromNewest = order === 'newestFirst'
  const [oldest, newest] = await Promise.all(
    (['oldestFirst', 'newestFirst'] as const).map(async (end) => {
      const request = { filter: { ...filter, revoked: null }, order: end, after: null, limit: 1 }
      return (await reader.sliceAttestations(request, summary)).rows[0]
    }),
  )
  if (oldest === undefined || newest === undefined) return atEnd
  let left = count
  let from = Math.floor(oldest.attestTimestamp / daySeconds) * daySeconds
  let before = Math.floor(newest.attestTimestamp / daySeconds + 1) * daySeconds
  let inSpan = Infinity
  while (before - from > 1 && (wholeSeconds || inSpan > rowsAtOnce)) {
    const half = (before - from) / 2
    const middle = from + (half < daySeconds ? Math.floor(half) : Math.floor(half / daySeconds) * daySeconds)
    const ahead = isFromNewest
      ? { attestedFrom: middle, attestedBefore: before }
      : { attestedFrom: from, attestedBefore: middle }
    const passed = await reader.countAttestations({ ...filter, ...ahead })
    const isAhead = left <= passed
    inSpan = isAhead ? passed : inSpan - passed
    if (!isAhead) left -= passed
    if (isAhead === isFromNewest) from = middle
    else before = middle
  }
  if (wholeSeconds) return { place: placeBefore(from, order), left }
  const span = { ...filter, attestedFrom: from, attestedBefore: before }
  let after: SkippedTo['place'] = null
  for (;;) {
    const request = { filter: span, order, after, limit: left }
    const slice = await reader.sliceAttestations(request, summary)
    await budget.readRows(slice.rows)
    left -= slice.rows.length
    if (left <= 0 || !slice.hasMore) return { place: slice.rows.at(-1)?.place ?? null, left: 0 }
    after = endOf(slice)
  }
}
