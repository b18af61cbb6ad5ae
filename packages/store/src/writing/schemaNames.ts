import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Changes } from '../layout/changes.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { SqlValue } from '../port/reads.ts'
import type { Tables } from '../port/tables.ts'
import { findRegisteredSchemas, writeNames } from './writeSchema.ts'

/**
 * Recomputes the names of the schemas that the transaction may have renamed. A schema's name is the newest one whose
 * attestation is unrevoked and was made by the schema's registrant, or else the name in the schema's own text.
 */
export async function updateNames(tables: Tables, changes: Changes): Promise<void> {
  const { chain, renamed } = changes
  if (renamed.size === 0) return
  const registered = await findRegisteredSchemas(tables, chain.chainId, [...renamed])
  if (registered.length === 0) return
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const given = await tables.firstOf<[name: SqlValue]>(
    'SELECT n.name FROM schema_name n JOIN attestation a ON a.id = n.id WHERE n.schema_local_id = k.local_id ' +
      'AND n.id BETWEEN k.first AND k.last AND a.revoke_timestamp IS NULL AND a.attester_id = k.registrant_id ' +
      'AND a.protocol = k.protocol ' +
      'ORDER BY n.id DESC',
    {
      local_id: { type: 'text', values: registered.map(({ schema }) => schema.key.localId.slice(2)) },
      protocol: { type: 'text', values: registered.map(({ schema }) => schema.protocol) },
      registrant_id: { type: 'int53', values: registered.map(({ registrantId }) => registrantId) },
      first: { type: 'int64', values: registered.map(() => first) },
      last: { type: 'int64', values: registered.map(() => last) },
    },
  )
  const moved = registered.flatMap(({ id, schema, name: before }, index) => {
    const [text] = given[index] ?? []
    const name = text === undefined ? schema.definition.name : tables.dialect.decodeText(text)
    return name === before ? [] : [{ id, schema, name }]
  })
  if (moved.length === 0) return
  await writeNames(tables, moved)
  changes.touched = true
}

/** Marks the schemas that were named above the block, and forgets those names. */
export async function revertNames(tables: Tables, changes: Changes, toBlock: number): Promise<void> {
  const { first, last } = rowIdsAbove(changes.chain.ordinal, toBlock)
  const rows = await tables.takeRange('schema_name', ['schema_local_id'], first, last)
  for (const { schema_local_id } of rows) changes.renamed.add(`0x${schema_local_id}` as LocalId)
}
