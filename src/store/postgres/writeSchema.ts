import type { LocalId } from '../../model/compositeId.ts'
import { foldText } from '../../model/foldText.ts'
import { zeroAddress, type Address, type Hash } from '../../model/hex.ts'
import type { Position } from '../../model/position.ts'
import { schemaFieldsJson, schemaSummaryJson } from '../../model/recordJson.ts'
import type { DataLocation, Schema, SchemaField } from '../../model/records.ts'
import { unixSeconds } from '../../model/time.ts'
import type { SchemaEntry } from '../layout/entries.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import { columnsOf, parseColumnSpec, tables, type RowOf } from '../layout/tables.ts'
import type { Connection } from './connection.ts'
import { copyRows } from './copyRows.ts'
import { copyTarget, type CopyValue } from './encodeCopy.ts'
import { sqlTypes } from './storedTables.ts'
import { decodeText, encodeText } from './textColumn.ts'
import { addressEntry, type WriterState } from './writerState.ts'

/** Appends the rows of schemas that have none, whole where the transaction registered them, else as mere references. */
export async function copySchemas(state: WriterState, entries: readonly SchemaEntry[]): Promise<void> {
  const added = entries.filter(({ isNew }) => isNew)
  await copyRows(state.connection, copyTarget('schema'), newSchemas(state, added))
  await writeTexts(state.connection, registeredOf(added).map(withOwnName))
}

/** Fills the rows of the schemas that the transaction registered and that stood there as mere references. */
export async function writeRegistrations(state: WriterState, entries: readonly SchemaEntry[]): Promise<void> {
  const registered = registeredOf(entries)
  if (registered.length === 0) return
  const types = registrationColumns.map((column) => {
    const { type } = parseColumnSpec(tables.schema.columns[column])
    return { column, type, sqlType: sqlTypes[type] }
  })
  const encodedRow = ({ id, schema, syncAt }: RegisteredEntry) => {
    const row = registrationOf(state, schema, syncAt)
    const values = types.map(({ column, type }) => {
      const value = row[column]
      return [column, type === 'chainText' && typeof value === 'string' ? encodeText(value) : value] as const
    })
    return { id, ...Object.fromEntries(values) }
  }
  await state.connection.run(
    `UPDATE schema s SET registered = true, ${registrationColumns
      .map((column) => `${column} = u.${column}`)
      .join(', ')} FROM json_to_recordset(?::json) AS u (id bigint, ${types
      .map(({ column, sqlType }) => `${column} ${sqlType}`)
      .join(', ')}) WHERE s.id = u.id`,
    JSON.stringify(registered.map(encodedRow)),
  )
  await writeTexts(state.connection, registered.map(withOwnName))
}

interface RegisteredEntry {
  readonly id: number
  readonly schema: Schema
  readonly syncAt: number
}

function registeredOf(entries: readonly SchemaEntry[]): RegisteredEntry[] {
  return entries.flatMap(({ id, changes }) => {
    const registration = changes?.registration ?? null
    return registration === null
      ? []
      : [{ id, schema: registration.event.schema, syncAt: registration.syncAt }]
  })
}

/** What names it in other records is found at the end of the transaction. */
function withOwnName({ id, schema }: RegisteredEntry): NamedSchema {
  return { id, schema, name: schema.definition.name }
}

/** The columns that a registration fills. */
const registrationColumns = columnsOf('schema').filter(
  (column): column is keyof RegistrationRow => parseColumnSpec(tables.schema.columns[column]).isNullable,
)

type RegistrationRow = Omit<
  RowOf<'schema'>,
  'id' | 'chain_id' | 'local_id' | 'registered' | 'attestation_count' | 'attester_count'
>

function* newSchemas(state: WriterState, entries: readonly SchemaEntry[]): Generator<readonly CopyValue[]> {
  for (const { id, chainId, localId, attestationCount, attesterCount, changes } of entries) {
    const registration = changes?.registration ?? null
    const row =
      registration === null ? null : registrationOf(state, registration.event.schema, registration.syncAt)
    yield [
      id,
      chainId,
      localId.slice(2),
      row !== null,
      attestationCount,
      attesterCount,
      ...registrationColumns.map((column) => row?.[column] ?? null),
    ]
  }
}

function registrationOf(state: WriterState, schema: Schema, syncAt: number): RegistrationRow {
  const { name } = schema.definition
  return {
    position: schema.position,
    register_timestamp: schema.registerTimestamp,
    registrant_id: addressEntry(state, schema.registrant).id,
    resolver_id: schema.resolver === zeroAddress ? null : addressEntry(state, schema.resolver).id,
    registrant: schema.registrant,
    resolver: schema.resolver,
    protocol: schema.protocol,
    revocable: schema.revocable,
    max_valid_for: schema.maxValidFor.toString(),
    data_location: schema.dataLocation,
    transaction_key: transactionKey(schema.transactionHash),
    transaction_hash: schema.transactionHash,
    transaction_sender: schema.transactionSender,
    sync_at: syncAt,
    definition_name: name,
    description: schema.definition.description,
    fields_json: schemaFieldsJson(schema),
    raw_text: schema.rawText,
    name,
    summary_json: schemaSummaryJson(schema, name),
  }
}

/** Makes the rows of schemas mere references again. */
export async function clearRegistrations(connection: Connection, ids: readonly number[]): Promise<void> {
  await connection.run(
    `UPDATE schema SET registered = false, ${registrationColumns.map((column) => `${column} = NULL`).join(', ')} ` +
      'WHERE id = ANY(?::bigint[])',
    ids,
  )
  await connection.run('DELETE FROM schema_text WHERE schema_id = ANY(?::bigint[])', ids)
}

/** The name that counts now of a registered schema. */
export interface NamedSchema {
  readonly id: number
  readonly schema: Schema
  readonly name: string
}

/** Gives the rows of registered schemas the names that count now, and everything that is made from them. */
export async function writeNames(connection: Connection, named: readonly NamedSchema[]): Promise<void> {
  await connection.run(
    'UPDATE schema s SET name = u.name, summary_json = u.summary FROM unnest(?::bigint[], ?::text[], ?::text[]) ' +
      'AS u (id, name, summary) WHERE s.id = u.id',
    named.map(({ id }) => id),
    named.map(({ name }) => encodeText(name)),
    named.map(({ schema, name }) => schemaSummaryJson(schema, name)),
  )
  await writeTexts(connection, named)
}

async function writeTexts(connection: Connection, named: readonly NamedSchema[]): Promise<void> {
  if (named.length === 0) return
  await connection.run(
    'INSERT INTO schema_text (schema_id, name, description) SELECT * FROM unnest(?::bigint[], ?::text[], ?::text[]) ' +
      'ON CONFLICT (schema_id) DO UPDATE SET name = excluded.name, description = excluded.description',
    named.map(({ id }) => id),
    named.map(({ name }) => searchText(name)),
    named.map(({ schema }) => searchText(schema.definition.description)),
  )
}

/** A registered schema as its row keeps it, with the name that counts. */
export interface RegisteredSchema extends NamedSchema {
  readonly registrantId: number
}

/** Those of the schemas of a chain that are registered. */
export async function findRegisteredSchemas(
  connection: Connection,
  chainId: number,
  localIds: readonly LocalId[],
): Promise<RegisteredSchema[]> {
  const rows = await connection.all<RegisteredColumns>(
    'SELECT id, local_id, registrant_id, name, position, register_timestamp, registrant, resolver, protocol, revocable, ' +
      'max_valid_for, data_location, transaction_hash, transaction_sender, definition_name, description, fields_json, ' +
      'raw_text FROM schema WHERE local_id = ANY(?::text[]) AND chain_id = ? AND registered',
    localIds.map((localId) => localId.slice(2)),
    chainId,
  )
  return rows.map((row) => ({
    id: row[0],
    registrantId: row[2],
    name: decodeText(row[3]),
    schema: {
      key: { chainId, localId: `0x${row[1]}` as LocalId },
      position: row[4] as Position,
      registerTimestamp: unixSeconds(row[5]),
      registrant: row[6] as Address,
      resolver: row[7] as Address,
      protocol: row[8],
      revocable: row[9],
      maxValidFor: BigInt(row[10]),
      dataLocation: row[11] as DataLocation,
      transactionHash: row[12] as Hash,
      transactionSender: row[13] as Address | null,
      definition: {
        name: decodeText(row[14]),
        description: decodeText(row[15]),
        fields: JSON.parse(row[16]) as SchemaField[],
      },
      rawText: decodeText(row[17]),
    },
  }))
}

type RegisteredColumns = [
  id: number,
  localId: string,
  registrantId: number,
  name: string,
  position: number,
  registerTimestamp: number,
  registrant: string,
  resolver: string,
  protocol: string,
  revocable: boolean,
  maxValidFor: string,
  dataLocation: string,
  transactionHash: string,
  transactionSender: string | null,
  definitionName: string,
  description: string,
  fieldsJson: string,
  rawText: string,
]

/**
 * The form in which text is searched; unpaired surrogates become U+FFFD, as they would in any query. PostgreSQL keeps no NUL; in its
 * place stands what is no character either, and no keyword holds.
 */
export function searchText(text: string): string {
  return foldText(text.toWellFormed()).replaceAll('\0', '\uffff')
}
