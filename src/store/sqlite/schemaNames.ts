import type { LocalId } from '../../model/compositeId.ts'
import type { Changes } from '../layout/changes.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { Connection, SqlValue } from './connection.ts'
import { decodeText } from './textColumn.ts'
import { type RegisteredSchema } from './writeSchema.ts'

/** Marks the schemas named above the block, and forgets those names. */
export function revertNames(connection: Connection, changes: Changes, toBlock: number): void {
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const rows = connection
    .statement<[string]>('SELECT DISTINCT schema_local_id FROM schema_name WHERE id BETWEEN ? AND ?')
    .all(first, last)
  for (const [localId] of rows) changes.renamed.add(`0x${localId}` as LocalId)
  connection.statement('DELETE FROM schema_name WHERE id BETWEEN ? AND ?').run(first, last)
}

/** The name that counts for a registered schema of the chain with that ordinal. */
export function effectiveName(
  connection: Connection,
  ordinal: number,
  registered: Pick<RegisteredSchema, 'schema' | 'registrantId'>,
): string {
  const { first, last } = rowIdsAbove(ordinal, -1)
  const given = connection
    .statement<[SqlValue]>(
      'SELECT n.name FROM schema_name n JOIN attestation a ON a.id = n.id ' +
        'WHERE n.schema_local_id = ? AND n.id BETWEEN ? AND ? ' +
        'AND a.revoke_timestamp IS NULL AND a.attester_id = ? ORDER BY n.id DESC LIMIT 1',
    )
    .get(registered.schema.key.localId.slice(2), first, last, registered.registrantId)
  return given === undefined ? registered.schema.definition.name : decodeText(given[0])
}
