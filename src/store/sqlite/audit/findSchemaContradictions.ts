import { formatCompositeId, type LocalId } from '../../../model/compositeId.ts'
import { zeroAddress } from '../../../model/hex.ts'
import { schemaFieldsJson, schemaSummaryJson } from '../../../model/recordJson.ts'
import type { Difference } from '../../indexAudit.ts'
import type { Connection, SqlValue } from '../connection.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { effectiveName } from '../schemaNames.ts'
import { decodeText } from '../textColumn.ts'
import { findRegisteredSchema, searchText } from '../writeSchema.ts'
import { addressOfBytes, transactionKey } from '../../layout/hexColumn.ts'
import { eventDifference, shown } from '../../audit/differences.ts'

type SchemaColumns = [
  position: number,
  localId: string,
  registrantId: Uint8Array | null,
  resolverId: Uint8Array | null,
  transactionKey: number | null,
  name: SqlValue,
  nameFolded: string | null,
  descriptionFolded: string | null,
  summaryJson: string | null,
  fieldsJson: string | null,
]

/** Holds the row of every schema of a chain against the record that its columns give, and its name against those given to it. */
export function* findSchemaContradictions(connection: Connection, range: EventRange): Generator<Difference> {
  const rows = connection
    .statement<SchemaColumns>(
      'SELECT position, local_id, r.bytes, v.bytes, transaction_key, name, name_folded, description_folded, summary_json, ' +
        'fields_json FROM schema s LEFT JOIN address r ON r.id = registrant_id LEFT JOIN address v ON v.id = resolver_id ' +
        'WHERE registered = 1 AND chain_id = ? ORDER BY position',
    )
    .iterate(range.chainId)
  for (const row of rows) yield* contradictionsOfSchema(connection, range, row)
}

function* contradictionsOfSchema(
  connection: Connection,
  range: EventRange,
  row: SchemaColumns,
): Generator<Difference> {
  const localId = `0x${row[1]}` as LocalId
  const subject = formatCompositeId({ chainId: range.chainId, localId })
  const found = readSchema(connection, range.chainId, localId)
  if (found === null) {
    const values = { field: null, stored: 'its row cannot be read', expected: null }
    yield eventDifference('rendered', range.chainId, row[0], subject, values, 'reindex')
    return
  }
  const { schema } = found
  const storedName = decodeText(row[5])
  const name = effectiveName(connection, range.ordinal, found)
  const resolver = schema.resolver === zeroAddress ? null : schema.resolver
  const record: readonly Column[] = [
    ['registrant', addressOf(row[2]), schema.registrant],
    ['resolver', addressOf(row[3]), resolver],
    ['transactionHash', String(row[4]), String(transactionKey(schema.transactionHash))],
    ['summaryJson', row[8], schemaSummaryJson(schema, storedName)],
    ['fieldsJson', row[9], schemaFieldsJson(schema)],
  ]
  const derived: readonly Column[] = [
    ['name', storedName, name],
    ['nameFolded', row[6], searchText(storedName)],
    ['descriptionFolded', row[7], searchText(schema.definition.description)],
  ]
  for (const [columns, what, remedy] of [
    [record, 'rendered', 'reindex'],
    [derived, 'derived', 'rebuild'],
  ] as const) {
    for (const [field, stored, expected] of columns) {
      if (stored === expected) continue
      const values = { field, stored: shown(stored), expected: shown(expected) }
      yield eventDifference(what, range.chainId, row[0], subject, values, remedy)
    }
  }
}

type Column = readonly [field: string, stored: string | null, expected: string | null]

/** null where a column holds what no record can have. */
function readSchema(
  connection: Connection,
  chainId: number,
  localId: LocalId,
): ReturnType<typeof findRegisteredSchema> {
  try {
    return findRegisteredSchema(connection, chainId, localId)
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return null
    throw error
  }
}

function addressOf(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : addressOfBytes(bytes)
}
