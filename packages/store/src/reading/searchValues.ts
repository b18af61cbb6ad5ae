import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { FoundValue, SearchGroup } from '@attestry/core/index/indexQueries.ts'
import { fieldKindOf, fieldValueKey } from '../layout/fieldKey.ts'
import { fieldState } from '../layout/fieldState.ts'
import { perDialect } from '../port/dialect.ts'
import type { SqlValue } from '../port/reads.ts'
import type { ReadSession } from './session.ts'

/** Most schemas whose fields are looked through, the most attested first, and most fields of all of them. */
const schemasMax = 1_000
const fieldsMax = 4_000

/**
 * Searches the indexed fields in which some attestation has the keyword as its value; the field with most such
 * attestations comes first. Each field costs one look-up, so that the fields are limited. Truth values are left out:
 * half of everything has them.
 */
export async function searchValues(
  { connection }: ReadSession,
  { text }: ClassifiedKeyword,
  limit: number,
): Promise<SearchGroup<FoundValue>> {
  const { dialect } = connection
  const fields = await connection.all<FieldRow>(fieldsSql(dialect), schemasMax, fieldsMax)
  const keyed = fields.flatMap((field) => {
    const kind = fieldKindOf(field[1])
    const key = kind === 'boolean' ? null : fieldValueKey(kind, text)
    return key === null ? [] : [{ field, key }]
  })
  const values = await connection.firstOf<[value: SqlValue, count: number]>(
    'SELECT v.value, v.count FROM field_value v WHERE v.field_id = k.field_id AND v.value_key = k.value_key',
    {
      field_id: { type: 'int53', values: keyed.map(({ field: [id] }) => id) },
      value_key: { type: 'bytes', values: keyed.map(({ key }) => key) },
    },
  )
  const found = keyed.flatMap(
    ({ field: [, , path, chainId, localId, protocol, name] }, index): FoundValue[] => {
      const row = values[index]
      if (row === undefined) return []
      const [value, attestationCount] = row
      return [
        {
          key: { chainId, localId: `0x${localId}` as LocalId, protocol },
          schemaName: dialect.decodeText(name),
          path: dialect.decodeText(path),
          value: dialect.decodeText(value),
          attestationCount,
        },
      ]
    },
  )
  // The sort is stable: among equals the order is that of the schemas.
  found.sort((a, b) => b.attestationCount - a.attestationCount)
  return { total: found.length, rows: found.slice(0, limit) }
}

type FieldRow = [
  id: number,
  kind: number,
  path: SqlValue,
  chainId: ChainId,
  localId: string,
  protocol: string,
  schemaName: SqlValue,
]

/** The order of the index `schema_by_class`. */
const byClass = (alias: string) =>
  `${alias}count_class DESC, ${alias}register_timestamp, ${alias}chain_id, ${alias}position`

const fieldsSql = perDialect(({ flag, bound, drivenJoin }) => {
  return (
    'SELECT f.id, f.kind, f.path, s.chain_id, s.local_id, s.protocol, s.name FROM ' +
    `(SELECT * FROM schema WHERE ${flag('registered', true)} ORDER BY ${byClass('')} LIMIT ${bound}) AS s ` +
    `${drivenJoin} field f ON f.schema_id = s.id WHERE s.field_state = ${fieldState.complete} ` +
    `ORDER BY ${byClass('s.')}, f.id LIMIT ${bound}`
  )
})
