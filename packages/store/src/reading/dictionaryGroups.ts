import type { AttestationGroup } from '@attestry/core/index/indexQueries.ts'
import { addressOfBytes } from '../layout/hexColumn.ts'
import type { Reads, SqlInput } from '../port/reads.ts'
import { byCount, schemaKeySql } from './groupKeys.ts'
import type { ReadSession } from './session.ts'
import type { Effort } from './tallyRows.ts'

/**
 * Groups that are the rows of a dictionary, which counts the attestations of each. There is no index by the counts: the
 * dictionary is read from end to end, in steps, and the first groups are kept.
 */

export interface CountedDictionary {
  readonly table: 'address' | 'schema'
  readonly count: string
  /** The expression that orders groups with the same count. */
  readonly key: string
  /** A value before all values of the key. */
  readonly leastKey: SqlInput
  readonly keyOf: (value: string | Uint8Array) => string
  /** Only rows of this chain; null: all rows. */
  readonly chainId: number | null
}

export const attesters: CountedDictionary = {
  table: 'address',
  count: 'e.created',
  key: 'e.bytes',
  leastKey: new Uint8Array(),
  keyOf: (value) => (typeof value === 'string' ? value : addressOfBytes(value)),
  chainId: null,
}

export const recipientAddresses: CountedDictionary = {
  ...attesters,
  count: '(e.received_other + e.received_self)',
}

export function schemasOn(chainId: number | null): CountedDictionary {
  const key = schemaKeySql('e')
  return { table: 'schema', count: 'e.attestation_count', key, leastKey: '', keyOf: String, chainId }
}

/** Groups of a list: how many there are, and the first of them. */
export interface TopGroups {
  readonly groups: number
  readonly top: readonly AttestationGroup[]
}

/** About how many rows of a dictionary are read in the time in which an attestation is looked up by an index. */
const rowsPerLookup = 8

type Entry = AttestationGroup & { readonly value: SqlInput }

/** Whether a table has more than so many rows, which are passed over. */
async function hasMoreRows(connection: Reads, table: string, rows: number): Promise<boolean> {
  const next = await connection.get<[number]>(`SELECT 1 FROM ${table} ORDER BY id LIMIT 1 OFFSET ?`, rows)
  return next !== undefined
}

/** The first `depth` groups of a dictionary; null if reading it takes more than the effort. */
export async function readDictionary(
  { connection }: ReadSession,
  { table, count, key, leastKey, keyOf, chainId }: CountedDictionary,
  depth: number,
  { rowsMax, pace }: Effort,
): Promise<TopGroups | null> {
  const [last] = (await connection.get<[number | null]>(`SELECT max(id) FROM ${table}`)) ?? []
  const end = last ?? 0
  // A first attempt passes over few rows. On a server ids say nothing about their number, since each chain has a range
  // of its own; the server itself ends what takes too long. In SQLite, whose long reads share a thread, ids are given
  // out one after another.
  const rowsEnough = rowsMax * rowsPerLookup
  const isTooMuch =
    pace === null ? await hasMoreRows(connection, table, rowsEnough) : pace.isShared && end > rowsEnough
  if (isTooMuch) return null
  const onChain = chainId === null ? '' : ` AND ${connection.dialect.hidden('e.chain_id', 'integer')} = ?`
  const rows = `FROM ${table} e WHERE e.id > ? AND e.id <= ?${onChain}`
  let groups = 0
  let top: Entry[] = []
  // A row that comes after this group, the last of `depth` groups, stays in the database.
  let least: Entry | undefined
  for (let from = 0; from < end;) {
    const to = pace?.isShared !== true ? end : from + (await pace.next()) * rowsPerLookup
    const range = [from, to, ...(chainId === null ? [] : [chainId])]
    const found = await connection.get<[number]>(`SELECT count(*) ${rows} AND ${count} > 0`, ...range)
    groups += found?.[0] ?? 0
    const better = await connection.all<[string | Uint8Array, number]>(
      `SELECT ${key}, ${count} ${rows} AND (${count} > ? OR (${count} = ? AND ${key} < ?)) ` +
        `ORDER BY 2 DESC, 1 LIMIT ${connection.dialect.bound}`,
      ...range,
      least?.count ?? 0,
      least?.count ?? 0,
      least?.value ?? leastKey,
      depth,
    )
    for (const [value, each] of better) top.push({ value, key: keyOf(value), count: each })
    // Sorted once for `depth` more groups: a sort in every step takes far longer than reading its rows.
    if (top.length >= 2 * depth) {
      top = top.sort(byCount).slice(0, depth)
      least = top.at(-1)
    }
    from = to
  }
  // Lists are remembered: the bytes of an address take more memory than its group.
  const first = top.sort(byCount).slice(0, depth)
  return { groups, top: first.map(({ key, count }) => ({ key, count })) }
}
