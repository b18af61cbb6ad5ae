import type { ListMove } from '../layout/entries.ts'
import type { ListKind, RankList } from '../layout/listKinds.ts'
import type { SqlRow } from '../port/reads.ts'
import type { ListSpan } from '../port/tables.ts'
import type { Connection } from './connection.ts'
import { listRows } from '../reading/listRows.ts'

/** The entries of lists, as their rows are now: one statement for each kind of list among them. */
export async function readEntries(
  connection: Connection,
  lists: readonly RankList[],
): Promise<readonly (readonly ListMove[])[]> {
  const entries = lists.map((): ListMove[] => [])
  const spans = lists.map((list) => ({ list, first: 0, last: Number.MAX_SAFE_INTEGER }))
  const rows = listRows(connection.dialect)
  const columns = (kind: ListKind) => `${rows[kind].timestamp}, ${rows[kind].parts}`
  await eachEntry<[number, number, number]>(connection, spans, columns, (index, entry) => {
    const [timestamp, chainId, schemaId] = entry
    entries[index]?.push({ timestamp, chainId, schemaId })
  })
  return entries
}

/** The timestamps of the entries of parts of lists, in the same way. */
export async function readTimestamps(
  connection: Connection,
  spans: readonly ListSpan[],
): Promise<readonly (readonly number[])[]> {
  const timestamps = spans.map((): number[] => [])
  const columns = (kind: ListKind) => listRows(connection.dialect)[kind].timestamp
  await eachEntry<[number]>(connection, spans, columns, (index, [timestamp]) =>
    timestamps[index]?.push(timestamp),
  )
  return timestamps
}

async function eachEntry<Entry extends SqlRow>(
  connection: Connection,
  spans: readonly ListSpan[],
  columnsOf: (kind: ListKind) => string,
  take: (index: number, entry: Entry) => void,
): Promise<void> {
  const byKind = Map.groupBy(spans.entries(), ([, { list }]) => list.kind)
  for (const [kind, ofKind] of byKind) {
    const { from, condition, timestamp } = listRows(connection.dialect)[kind]
    const rows = await connection.all<[ordinal: number, ...Entry]>(
      `SELECT r.ordinal, x.* FROM ${spanRows} CROSS JOIN LATERAL (SELECT ${columnsOf(kind)} FROM ${from} ` +
        `WHERE ${condition('r.owner', 'r.scope')} AND ${timestamp} BETWEEN r.first AND r.last) AS x`,
      ofKind.map(([, { list }]) => list.ownerId),
      ofKind.map(([, { list }]) => list.scopeId),
      ofKind.map(([, { first }]) => first),
      ofKind.map(([, { last }]) => last),
    )
    for (const [ordinal, ...entry] of rows) take(ofKind[ordinal - 1]?.[0] ?? -1, entry)
  }
}

const spanRows =
  'unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) ' +
  'WITH ORDINALITY AS r (owner, scope, first, last, ordinal)'
