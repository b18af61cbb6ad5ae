import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createChanges } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { rowIdsAbove } from '../layout/rowId.ts'
import type { Tables } from '../port/tables.ts'
import { updateNames } from '../writing/schemaNames.ts'

/** Gives the schemas of a chain the names that records give them. */
export async function buildNames(tables: Tables, chain: ChainRow): Promise<void> {
  const { first, last } = rowIdsAbove(chain.ordinal, -1)
  const named = tables.batches<[string]>(
    'SELECT DISTINCT schema_local_id FROM schema_name WHERE id BETWEEN ? AND ?',
    first,
    last,
  )
  for await (const rows of named) {
    const changes = createChanges(1, chain, unixMilliseconds(0), false)
    for (const [localId] of rows) changes.renamed.add(`0x${localId}` as LocalId)
    await updateNames(tables, changes)
  }
}
