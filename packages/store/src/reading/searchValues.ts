import type { ChainId, LocalId } from '@attestry/core/model/compositeId.ts'
import type { ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import type { FoundValue, SearchGroup } from '@attestry/core/index/indexQueries.ts'
import { fieldKindNumber, fieldValueKey } from '../layout/fieldKey.ts'
import { fieldState } from '../layout/fieldState.ts'
import { perDialect } from '../port/dialect.ts'
import type { SqlValue } from '../port/reads.ts'
import type { ReadSession } from './session.ts'

/** Most fields with the value that are looked at, for each key of it. */
const fieldsMax = 4_000

/**
 * Searches the indexed fields in which some attestation has the keyword as its value; the field with most such
 * attestations comes first. Truth values are left out: half of everything has them.
 */
export async function searchValues(
  { connection }: ReadSession,
  { text }: ClassifiedKeyword,
  limit: number,
): Promise<SearchGroup<FoundValue>> {
  const { dialect } = connection
  const keys = searchedKinds.flatMap((kind) => {
    const key = fieldValueKey(kind, text)
    return key === null ? [] : [{ kind: fieldKindNumber[kind], key }]
  })
  const rows: FieldRow[] = []
  // A number or bytes may have the key of its text: the fields of both kinds are then found by one read.
  for (const [first, second = first] of Map.groupBy(keys, ({ key }) => key.toString('hex')).values()) {
    if (first === undefined || second === undefined) continue
    const kinds = [first.kind, second.kind]
    rows.push(...(await connection.all<FieldRow>(fieldsSql(dialect), first.key, fieldsMax, ...kinds)))
  }
  const found = rows.map(([path, chainId, localId, protocol, name, value, attestationCount]): FoundValue => ({
    key: { chainId, localId: `0x${localId}` as LocalId, protocol },
    schemaName: dialect.decodeText(name),
    path: dialect.decodeText(path),
    value: dialect.decodeText(value),
    attestationCount,
  }))
  // The sort is stable: among equals, texts come first, and then the order is that of the schemas.
  found.sort((a, b) => b.attestationCount - a.attestationCount)
  return { total: found.length, rows: found.slice(0, limit) }
}

const searchedKinds = ['text', 'bytes', 'integer'] as const

type FieldRow = [
  path: SqlValue,
  chainId: ChainId,
  localId: string,
  protocol: string,
  schemaName: SqlValue,
  value: SqlValue,
  count: number,
]

const fieldsSql = perDialect(
  ({ flag, bound, drivenJoin }) =>
    'SELECT f.path, s.chain_id, s.local_id, s.protocol, s.name, v.value, v.count FROM ' +
    `(SELECT field_id, value, count FROM field_value WHERE value_key = ? LIMIT ${bound}) AS v ` +
    `${drivenJoin} field f ON f.id = v.field_id ${drivenJoin} schema s ON s.id = f.schema_id ` +
    `WHERE f.kind IN (?, ?) AND ${flag('s.registered', true)} AND s.field_state = ${fieldState.complete} ` +
    // Texts come first. The rest is the order of the index `schema_by_class`.
    `ORDER BY f.kind <> ${fieldKindNumber.text}, s.count_class DESC, s.register_timestamp, s.chain_id, s.position, f.id`,
)
