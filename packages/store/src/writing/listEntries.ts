import type { ListMove } from '../layout/entries.ts'
import type { RankList } from '../layout/listKinds.ts'
import type { SqlRow } from '../port/reads.ts'
import type { Tables } from '../port/tables.ts'
import { listRows, type ListRows } from '../reading/listRows.ts'

/** A part of a list by time, both ends included. */
export interface ListSpan {
  readonly list: RankList
  readonly first: number
  readonly last: number
}

/** The entries of lists, as their rows are now, in no particular order. */
export async function readEntries(tables: Tables, lists: readonly RankList[]): Promise<ListMove[][]> {
  const spans = lists.map((list) => ({ list, first: 0, last: Number.MAX_SAFE_INTEGER }))
  const entries = await readSpans<[number, number, number]>(
    tables,
    spans,
    ({ timestamp, parts }) => `${timestamp}, ${parts}`,
  )
  return entries.map((rows) =>
    rows.map(([timestamp, chainId, schemaId]) => ({ timestamp, chainId, schemaId })),
  )
}

/** The timestamps of the entries of parts of lists, in the same way. */
export async function readTimestamps(tables: Tables, spans: readonly ListSpan[]): Promise<number[][]> {
  const entries = await readSpans<[number]>(tables, spans, ({ timestamp }) => timestamp)
  return entries.map((rows) => rows.map(([timestamp]) => timestamp))
}

/** The rows of the entries of each span, by one call for each kind of list among them. */
async function readSpans<Row extends SqlRow>(
  tables: Tables,
  spans: readonly ListSpan[],
  columnsOf: (rows: ListRows) => string,
): Promise<Row[][]> {
  const found: Row[][] = []
  const byKind = Map.groupBy(spans.entries(), ([, { list }]) => list.kind)
  for (const [kind, ofKind] of byKind) {
    const rows = listRows(tables.dialect)[kind]
    const numbers = (of: (span: ListSpan) => number) =>
      ({ type: 'int53', values: ofKind.map(([, span]) => of(span)) }) as const
    const entries = await tables.allOf<Row>(
      `SELECT ${columnsOf(rows)} FROM ${rows.from} WHERE ${rows.condition('k.owner', 'k.scope')} ` +
        `AND ${rows.timestamp} BETWEEN k.first AND k.last`,
      {
        owner: numbers(({ list }) => list.ownerId),
        scope: numbers(({ list }) => list.scopeId),
        first: numbers(({ first }) => first),
        last: numbers(({ last }) => last),
      },
    )
    for (const [index, [place]] of ofKind.entries()) found[place] = entries[index] ?? []
  }
  return found
}
