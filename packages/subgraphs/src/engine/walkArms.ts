import { endOf, type Slice } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { Budget } from './budget.ts'

export type WalkOrder = 'newestFirst' | 'oldestFirst'

type Placed = { readonly place: RowPlace }

/** Reads one of the lists whose union is walked: rows behind a place, in the order. */
export type ReadArm<Row> = (
  order: WalkOrder,
  after: RowPlace | null,
  limit: number,
) => Promise<Slice<Row> & { readonly rows: readonly (Row & Placed)[] }>

/** Rows of the first read of an arm and of the largest. */
const batchMin = 16
const batchMax = 1_000

interface ArmCursor<Row> {
  readonly read: ReadArm<Row>
  rows: readonly (Row & Placed)[]
  next: number
  after: RowPlace | null
  isDone: boolean
  batch: number
}

/**
 * The rows of several arms in the order of listings, each once, in batches.
 * @param expected about how many rows the caller will take; null: all.
 */
export async function* walkArms<Row>(
  arms: readonly ReadArm<Row>[],
  { order, after, expected }: { order: WalkOrder; after: RowPlace | null; expected: number | null },
  budget: Budget,
  sizeOf: (row: Row) => number,
): AsyncGenerator<readonly (Row & Placed)[]> {
  const batch = Math.min(batchMax, Math.max(batchMin, expected ?? batchMax))
  const cursors = arms.map((read): ArmCursor<Row> => ({
    read,
    rows: [],
    next: 0,
    after,
    isDone: false,
    batch,
  }))
  const fill = async (cursor: ArmCursor<Row>): Promise<void> => {
    while (!cursor.isDone && cursor.next === cursor.rows.length) {
      const slice = await cursor.read(order, cursor.after, cursor.batch)
      await budget.readRows(slice.rows, sizeOf)
      if (slice.scannedTo !== null) budget.pass()
      cursor.rows = slice.rows
      cursor.next = 0
      cursor.after = endOf(slice)
      cursor.isDone = !slice.hasMore
      cursor.batch = Math.min(batchMax, cursor.batch * 2)
    }
  }
  let last: RowPlace | null = null
  for (;;) {
    await Promise.all(cursors.map(fill))
    const merged: (Row & Placed)[] = []
    for (;;) {
      const first = firstOf(cursors, order)
      const row = first?.rows[first.next]
      if (first === null || row === undefined) break
      first.next += 1
      if (last === null || comparePlaces(last, row.place) !== 0) merged.push(row)
      last = row.place
      if (first.next === first.rows.length && !first.isDone) break
    }
    if (merged.length > 0) yield merged
    if (cursors.every(({ rows, next, isDone }) => isDone && next === rows.length)) return
  }
}

/** The cursor whose next row comes first; null if no cursor has a row. */
function firstOf<Row>(cursors: readonly ArmCursor<Row>[], order: WalkOrder): ArmCursor<Row> | null {
  let best: ArmCursor<Row> | null = null
  for (const cursor of cursors) {
    const [mine, theirs] = [cursor.rows[cursor.next]?.place, best?.rows[best.next]?.place]
    if (mine === undefined) continue
    const difference = theirs === undefined ? -1 : comparePlaces(mine, theirs)
    if (theirs === undefined || (order === 'newestFirst' ? difference > 0 : difference < 0)) best = cursor
  }
  return best
}

/** An arm over rows that have been read already. */
export function readSorted<Row>(rows: readonly (Row & Placed)[]): ReadArm<Row> {
  const isBehind = (order: WalkOrder, place: RowPlace, after: RowPlace) =>
    order === 'newestFirst' ? comparePlaces(place, after) < 0 : comparePlaces(place, after) > 0
  return (order, after) => {
    const sorted = rows
      .filter(({ place }) => after === null || isBehind(order, place, after))
      .sort((a, b) =>
        order === 'newestFirst' ? comparePlaces(b.place, a.place) : comparePlaces(a.place, b.place),
      )
    return Promise.resolve({ rows: sorted, hasMore: false, scannedTo: null })
  }
}

/** By time, then by place on the chain. */
export function comparePlaces(a: RowPlace, b: RowPlace): number {
  return a.timestamp - b.timestamp || a.chainId - b.chainId || a.position - b.position
}
