import type { LocalId } from '../../model/compositeId.ts'
import type { Changes } from '../layout/changes.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { Connection } from './connection.ts'
import { decodeText } from './textColumn.ts'
import { findRegisteredSchemas, writeNames } from './writeSchema.ts'

/**
 * Finds anew the names of the schemas that the transaction may have renamed: the newest name whose attestation is
 * unrevoked and was made by the schema's registrant, else the one in the schema's own text.
 */
export async function updateNames(connection: Connection, changes: Changes): Promise<void> {
  const { chain, renamed } = changes
  if (renamed.size === 0) return
  const registered = await findRegisteredSchemas(connection, chain.chainId, [...renamed])
  if (registered.length === 0) return
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const given = await connection.all<[schemaId: number, name: string]>(
    'SELECT u.schema_id, x.name FROM unnest(?::bigint[], ?::text[], ?::bigint[]) AS u (schema_id, local_id, registrant_id) ' +
      'CROSS JOIN LATERAL (SELECT n.name FROM schema_name n JOIN attestation a ON a.id = n.id ' +
      'WHERE n.schema_local_id = u.local_id AND n.id BETWEEN ? AND ? AND a.revoke_timestamp IS NULL ' +
      'AND a.attester_id = u.registrant_id ORDER BY n.id DESC LIMIT 1) AS x',
    registered.map(({ id }) => id),
    registered.map(({ schema }) => schema.key.localId.slice(2)),
    registered.map(({ registrantId }) => registrantId),
    first,
    last,
  )
  const names = new Map(given.map(([schemaId, name]) => [schemaId, decodeText(name)]))
  const moved = registered.flatMap(({ id, schema, name: before }) => {
    const name = names.get(id) ?? schema.definition.name
    return name === before ? [] : [{ id, schema, name }]
  })
  if (moved.length === 0) return
  await writeNames(connection, moved)
  changes.touched = true
}

/** Marks the schemas named above the block, and forgets those names. */
export async function revertNames(connection: Connection, changes: Changes, toBlock: number): Promise<void> {
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const rows = await connection.all<[string]>(
    'WITH gone AS (DELETE FROM schema_name WHERE id BETWEEN ? AND ? RETURNING schema_local_id) ' +
      'SELECT DISTINCT schema_local_id FROM gone',
    first,
    last,
  )
  for (const [localId] of rows) changes.renamed.add(`0x${localId}` as LocalId)
}
