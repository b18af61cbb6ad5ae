import type { RecordKey } from '../../model/compositeId.ts'
import type { Connection, SqlRow } from './connection.ts'

/**
 * The records of these keys, in their order; null for each that there is none of. `selected` is a select of one key's record in terms of
 * `k.local_id` and `k.chain_id`. By its limit each key is looked up by itself, where a plan that was made for an empty table
 * would pass over all rows instead.
 */
export async function findByKeys<Row extends SqlRow, Stored>(
  connection: Connection,
  keys: readonly RecordKey[],
  selected: string,
  ofRow: (row: [...Row]) => Stored,
): Promise<(Stored | null)[]> {
  const found = keys.map((): Stored | null => null)
  const rows = await connection.all<[ordinal: number, ...Row]>(
    'SELECT k.ordinal, r.* FROM unnest(?::text[], ?::bigint[]) WITH ORDINALITY AS k (local_id, chain_id, ordinal) ' +
      `CROSS JOIN LATERAL (${selected} LIMIT 1) AS r`,
    keys.map(({ localId }) => localId.slice(2)),
    keys.map(({ chainId }) => chainId),
  )
  for (const [ordinal, ...row] of rows) found[ordinal - 1] = ofRow(row)
  return found
}
