import type { ListMove } from '../layout/entries.ts'
import type { RankList } from '../layout/listKinds.ts'
import type { Connection } from './connection.ts'
import { listRows } from './listRows.ts'

/** A part of a list by time, both ends included. */
export interface ListSpan {
  readonly list: RankList
  readonly first: number
  readonly last: number
}

/** The entries of each span as the rows give them now: one statement for each kind of list among them. */
export async function readEntries(
  connection: Connection,
  spans: readonly ListSpan[],
): Promise<readonly (readonly ListMove[])[]> {
  const entries = spans.map((): ListMove[] => [])
  const byKind = Map.groupBy(spans.keys(), (index) => spans[index]?.list.kind)
  for (const [kind, indices] of byKind) {
    if (kind === undefined) continue
    const { from, condition, timestamp, parts } = listRows[kind]
    const chosen = indices.flatMap((index) => spans[index] ?? [])
    const rows = await connection.all<[number, number, number, number]>(
      `SELECT r.ordinal, x.* FROM ${spanRows} CROSS JOIN LATERAL (SELECT ${timestamp}, ${parts} FROM ${from} ` +
        `WHERE ${condition} AND ${timestamp} BETWEEN r.first AND r.last) AS x`,
      chosen.map(({ list }) => list.ownerId),
      chosen.map(({ list }) => list.scopeId),
      chosen.map(({ first }) => first),
      chosen.map(({ last }) => last),
    )
    for (const [ordinal, entryTimestamp, chainId, schemaId] of rows) {
      const index = indices[ordinal - 1] ?? -1
      entries[index]?.push({ timestamp: entryTimestamp, chainId, schemaId })
    }
  }
  return entries
}

const spanRows =
  '(SELECT u.*, ARRAY(SELECT chain_id FROM chain) AS chains FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) ' +
  'WITH ORDINALITY AS u (owner, scope, first, last, ordinal)) AS r'
