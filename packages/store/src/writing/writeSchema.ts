import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { foldText } from '@attestry/core/model/foldText.ts'
import { zeroAddress, type Address, type Hash } from '@attestry/core/model/hex.ts'
import type { Position } from '@attestry/core/model/position.ts'
import { schemaFieldsJson, schemaMembers } from '@attestry/core/model/recordJson.ts'
import type { DataLocation, Schema, SchemaField } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { SchemaEntry } from '../layout/entries.ts'
import { fieldState, type FieldState } from '../layout/fieldState.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import type { RowOf } from '../layout/tables.ts'
import { membersJson } from '../port/attestationJson.ts'
import type { Tables } from '../port/tables.ts'
import { addressEntry, type WriterState } from './writerState.ts'

/** Appends the rows of schemas that have none: whole rows of registered schemas, mere references of others. */
export async function appendSchemas(state: WriterState, entries: readonly SchemaEntry[]): Promise<void> {
  const rows = entries.map((entry) => {
    const registration = entry.changes?.registration ?? null
    return {
      id: entry.id,
      chain_id: entry.chainId,
      local_id: entry.localId.slice(2),
      protocol: entry.protocol,
      registered: registration !== null,
      attestation_count: entry.attestationCount,
      attester_count: entry.attesterCount,
      field_state: entry.fieldState,
      ...(registration === null
        ? unregistered
        : registrationOf(state, registration.event.schema, registration.syncAt)),
    }
  })
  await state.tables.append('schema', rows)
  await writeTexts(state.tables, registeredOf(entries))
}

/** Fills the rows of the schemas that the transaction registered and that were mere references before. */
export async function writeRegistrations(state: WriterState, entries: readonly SchemaEntry[]): Promise<void> {
  const registered = registeredOf(entries)
  await state.tables.update(
    'schema',
    ['registered', 'field_state', ...registrationColumns],
    registered.map(({ id, fieldState: wanted, schema, syncAt }) => ({
      id,
      registered: true,
      field_state: wanted,
      ...registrationOf(state, schema, syncAt),
    })),
  )
  await writeTexts(state.tables, registered)
}

/** A schema that the transaction registered. Names that other records give are found at the end of the transaction. */
interface RegisteredEntry extends NamedSchema {
  readonly fieldState: FieldState
  readonly syncAt: number
}

function registeredOf(entries: readonly SchemaEntry[]): RegisteredEntry[] {
  return entries.flatMap(({ id, fieldState: wanted, changes }) => {
    const registration = changes?.registration ?? null
    if (registration === null) return []
    const { schema } = registration.event
    return [{ id, schema, name: schema.definition.name, fieldState: wanted, syncAt: registration.syncAt }]
  })
}

/** The columns that only registered schemas have. */
const unregistered = {
  position: null,
  register_timestamp: null,
  registrant_id: null,
  resolver_id: null,
  registrant: null,
  resolver: null,
  revocable: null,
  max_valid_for: null,
  data_location: null,
  transaction_key: null,
  transaction_hash: null,
  transaction_sender: null,
  sync_at: null,
  definition_name: null,
  description: null,
  fields_json: null,
  payload_fields_json: null,
  raw_text: null,
  context: null,
  name: null,
  summary_json: null,
} as const satisfies Partial<RowOf<'schema'>>

type RegistrationColumn = keyof typeof unregistered

const registrationColumns = Object.keys(unregistered) as RegistrationColumn[]

function registrationOf(
  state: WriterState,
  schema: Schema,
  syncAt: number,
): Pick<RowOf<'schema'>, RegistrationColumn> {
  const { name, fields, payloadFields } = schema.definition
  return {
    position: schema.position,
    register_timestamp: schema.registerTimestamp,
    registrant_id: addressEntry(state, schema.registrant).id,
    resolver_id: schema.resolver === zeroAddress ? null : addressEntry(state, schema.resolver).id,
    registrant: schema.registrant,
    resolver: schema.resolver,
    revocable: schema.revocable,
    max_valid_for: schema.maxValidFor.toString(),
    data_location: schema.dataLocation,
    transaction_key: transactionKey(schema.transactionHash),
    transaction_hash: schema.transactionHash,
    transaction_sender: schema.transactionSender,
    sync_at: syncAt,
    definition_name: name,
    description: schema.definition.description,
    fields_json: schemaFieldsJson(fields),
    payload_fields_json: payloadFields === undefined ? null : schemaFieldsJson(payloadFields),
    raw_text: schema.rawText,
    context: schema.context,
    name,
    summary_json: summaryOf(schema, name),
  }
}

/** Makes the rows of schemas mere references again. */
export async function clearRegistrations(tables: Tables, ids: readonly number[]): Promise<void> {
  await tables.update(
    'schema',
    ['registered', 'field_state', ...registrationColumns],
    ids.map((id) => ({ id, registered: false, field_state: fieldState.none, ...unregistered })),
  )
  await tables.remove(
    'schema_text',
    ['schema_id'],
    ids.map((schema_id) => ({ schema_id })),
  )
}

/** A registered schema with the name that counts now. */
export interface NamedSchema {
  readonly id: number
  readonly schema: Schema
  readonly name: string
}

/** Gives the rows of registered schemas the names that count now, and renders their columns that hold the name. */
export async function writeNames(tables: Tables, named: readonly NamedSchema[]): Promise<void> {
  await tables.update(
    'schema',
    ['name', 'summary_json'],
    named.map(({ id, schema, name }) => ({ id, name, summary_json: summaryOf(schema, name) })),
  )
  await writeTexts(tables, named)
}

function summaryOf(schema: Schema, name: string): string {
  return membersJson(schemaMembers({ ...schema, name, description: schema.definition.description }))
}

function writeTexts(tables: Tables, named: readonly NamedSchema[]): Promise<void> {
  const rows = named.map(({ id, schema, name }) => {
    return { schema_id: id, name: searchText(name), description: searchText(schema.definition.description) }
  })
  return tables.put('schema_text', rows)
}

/** A registered schema as its row holds it, with the name that counts. */
export interface RegisteredSchema extends NamedSchema {
  readonly registrantId: number
}

/** Those of the schemas of a chain that are registered. */
export async function findRegisteredSchemas(
  tables: Tables,
  chainId: number,
  localIds: readonly LocalId[],
): Promise<RegisteredSchema[]> {
  const rows = await tables.findBy(
    'schema',
    ['id', 'local_id', 'protocol', ...registrationColumns],
    'local_id',
    localIds.map((localId) => localId.slice(2)),
    { chain_id: chainId },
  )
  return rows.flatMap((row) => (isRegistered(row) ? [registeredSchema(chainId, row)] : []))
}

type StoredRegistration = Pick<RowOf<'schema'>, 'id' | 'local_id' | 'protocol' | RegistrationColumn>
type WholeRegistration = {
  readonly [Column in keyof StoredRegistration]: Column extends
    | 'resolver_id'
    | 'transaction_sender'
    | 'context'
    | 'payload_fields_json'
    ? StoredRegistration[Column]
    : NonNullable<StoredRegistration[Column]>
}

/** All columns of a registration are there, or none but those that may be missing from it. */
function isRegistered(row: StoredRegistration): row is WholeRegistration {
  return row.position !== null
}

function registeredSchema(chainId: number, row: WholeRegistration): RegisteredSchema {
  return {
    id: row.id,
    registrantId: row.registrant_id,
    name: row.name,
    schema: {
      key: { chainId, localId: `0x${row.local_id}` as LocalId },
      position: row.position as Position,
      registerTimestamp: unixSeconds(row.register_timestamp),
      registrant: row.registrant as Address,
      resolver: row.resolver as Address,
      protocol: row.protocol,
      revocable: row.revocable,
      maxValidFor: BigInt(row.max_valid_for),
      dataLocation: row.data_location as DataLocation,
      transactionHash: row.transaction_hash as Hash,
      transactionSender: row.transaction_sender as Address | null,
      definition: {
        name: row.definition_name,
        description: row.description,
        fields: JSON.parse(row.fields_json) as SchemaField[],
        ...(row.payload_fields_json !== null && {
          payloadFields: JSON.parse(row.payload_fields_json) as SchemaField[],
        }),
      },
      rawText: row.raw_text,
      context: row.context,
    },
  }
}

/** The form in which text is searched; unpaired surrogates become U+FFFD, as they would in any query. */
function searchText(text: string): string {
  return foldText(text.toWellFormed())
}
