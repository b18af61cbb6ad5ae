import { positionBlock, type Position } from '../../../model/position.ts'
import { positionMask } from '../../layout/rowId.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import type { Connection } from '../connection.ts'

/** The newest block of which a row tells an event; -1 where none does. */
export function newestEventBlock(connection: Connection, { chainId, ordinal }: EventRange): number {
  const base = BigInt(ordinal) << 53n
  const newestOf = (sql: string, ...parameters: (number | bigint)[]) =>
    connection.statement<[number | null]>(sql).get(...parameters)?.[0] ?? -1
  const last = base + 2n ** 53n - 1n
  const positions = [
    newestOf('SELECT max(position) FROM schema WHERE registered = 1 AND chain_id = ?', chainId),
    newestOf(
      `SELECT max(revoked_id) & ${positionMask} FROM attestation WHERE revoked_id BETWEEN ? AND ?`,
      base,
      last,
    ),
    ...['attestation', 'anchor', 'undecodable'].map((table) =>
      newestOf(`SELECT max(id) & ${positionMask} FROM ${table} WHERE id BETWEEN ? AND ?`, base, last),
    ),
  ]
  const newest = Math.max(...positions)
  return newest < 0 ? -1 : positionBlock(newest as Position)
}
