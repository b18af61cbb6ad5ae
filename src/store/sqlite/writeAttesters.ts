import type { SchemaEntry } from '../layout/entries.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import type { Connection } from './connection.ts'

/**
 * Writes how many attestations of each attester a transaction brought under a schema, or took away. Answers by how many the
 * schema's attesters have become more.
 */
export function writeAttesters(connection: Connection, entry: SchemaEntry, sign: 1 | -1): number {
  let moved = 0
  for (const [attester, count] of entry.changes?.attesters ?? []) {
    const bytes = hexBytes(attester.address)
    if (sign > 0) {
      if (addCount(connection, entry.id, bytes, count) === count) moved += 1
    } else if (addCount(connection, entry.id, bytes, -count) === 0) {
      connection
        .statement('DELETE FROM schema_attester WHERE schema_id = ? AND attester = ?')
        .run(entry.id, bytes)
      moved -= 1
    }
  }
  return moved
}

/** The count as it is afterwards. */
function addCount(connection: Connection, schemaId: number, attester: Uint8Array, moved: number): number {
  const row = connection
    .statement<[number]>(
      'INSERT INTO schema_attester (schema_id, attester, count) VALUES (?, ?, ?) ' +
        'ON CONFLICT DO UPDATE SET count = count + excluded.count RETURNING count',
    )
    .get(schemaId, attester, moved)
  return row?.[0] ?? 0
}
