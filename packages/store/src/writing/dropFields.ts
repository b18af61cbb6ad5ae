import { listKind } from '../layout/listKinds.ts'
import type { Tables } from '../port/tables.ts'

/** Values that are read at a time. */
const valuesPerRead = 500

/**
 * Deletes rows of the index of a schema's fields, about `rowsMax` of them. Resolves to what is left of `rowsMax`, above
 * 0 exactly if no rows remain. Between two calls nobody may read or write these rows.
 */
export async function dropFields(tables: Tables, schemaId: number, rowsMax: number): Promise<number> {
  let left = rowsMax
  while (left > 0) {
    const values = await tables.all<[fieldId: number, key: Uint8Array, id: number, count: number]>(
      'SELECT v.field_id, v.value_key, v.id, v.count FROM field f JOIN field_value v ON v.field_id = f.id ' +
        `WHERE f.schema_id = ? LIMIT ${tables.dialect.bound}`,
      schemaId,
      valuesPerRead,
    )
    if (values.length === 0) {
      await tables.run('DELETE FROM field WHERE schema_id = ?', schemaId)
      return left
    }
    const gone: { readonly field_id: number; readonly value_key: Uint8Array; readonly value_id: number }[] =
      []
    for (const [field_id, value_key, value_id, count] of values) {
      if (left <= 0) break
      // A value with more postings than may go at once loses some of them, and stays.
      if (count > left && (await deletePostings(tables, value_id, left)) >= left) left = 0
      else gone.push({ field_id, value_key, value_id })
      left -= count
    }
    await tables.remove('field_posting', ['value_id'], gone)
    const lists = gone.map(({ value_id: owner_id }) => ({ kind: listKind.fieldValue, owner_id }))
    await tables.remove('rank_node', ['kind', 'owner_id'], lists)
    await tables.remove('field_value', ['field_id', 'value_key'], gone)
  }
  return 0
}

function deletePostings(tables: Tables, valueId: number, limit: number): Promise<number> {
  return tables.run(
    'DELETE FROM field_posting WHERE value_id = ? AND (attest_timestamp, id) IN ' +
      `(SELECT attest_timestamp, id FROM field_posting WHERE value_id = ? LIMIT ${tables.dialect.bound})`,
    valueId,
    valueId,
    limit,
  )
}
