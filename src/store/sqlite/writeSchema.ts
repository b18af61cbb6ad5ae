import type { LocalId } from '../../model/compositeId.ts'
import { foldText } from '../../model/foldText.ts'
import { zeroAddress, type Address, type Hash } from '../../model/hex.ts'
import type { Position } from '../../model/position.ts'
import { schemaFieldsJson, schemaSummaryJson } from '../../model/recordJson.ts'
import type { DataLocation, Schema, SchemaField } from '../../model/records.ts'
import { unixSeconds } from '../../model/time.ts'
import type { SchemaEntry } from '../layout/entries.ts'
import { transactionKey } from '../layout/hexColumn.ts'
import type { Connection, SqlValue } from './connection.ts'
import { decodeText, encodeText } from './textColumn.ts'
import { addressEntry, type WriterState } from './writerState.ts'

/** Fills the row of a schema, which may have stood there as a mere reference, with its registration. */
export function writeRegistration(
  state: WriterState,
  entry: SchemaEntry,
  schema: Schema,
  syncAt: number,
): void {
  const { connection } = state
  const { definition } = schema
  connection
    .statement(
      'UPDATE schema SET registered = 1, position = ?, register_timestamp = ?, registrant_id = ?, resolver_id = ?, ' +
        'registrant = ?, resolver = ?, protocol = ?, revocable = ?, max_valid_for = ?, data_location = ?, ' +
        'transaction_key = ?, transaction_hash = ?, transaction_sender = ?, sync_at = ?, definition_name = ?, ' +
        'description = ?, description_folded = ?, fields_json = ?, raw_text = ? WHERE id = ?',
    )
    .run(
      schema.position,
      schema.registerTimestamp,
      addressEntry(state, schema.registrant).id,
      schema.resolver === zeroAddress ? null : addressEntry(state, schema.resolver).id,
      schema.registrant,
      schema.resolver,
      schema.protocol,
      schema.revocable ? 1 : 0,
      schema.maxValidFor.toString(),
      schema.dataLocation,
      transactionKey(schema.transactionHash),
      schema.transactionHash,
      schema.transactionSender,
      syncAt,
      encodeText(definition.name),
      encodeText(definition.description),
      searchText(definition.description),
      schemaFieldsJson(schema),
      encodeText(schema.rawText),
      entry.id,
    )
  writeName(connection, entry.id, schema, definition.name)
}

/** Makes the row of a schema a mere reference again. */
export function clearRegistration(connection: Connection, schemaId: number): void {
  connection
    .statement(
      'UPDATE schema SET registered = 0, position = NULL, register_timestamp = NULL, registrant_id = NULL, ' +
        'resolver_id = NULL, registrant = NULL, resolver = NULL, protocol = NULL, revocable = NULL, ' +
        'max_valid_for = NULL, data_location = NULL, transaction_key = NULL, transaction_hash = NULL, ' +
        'transaction_sender = NULL, sync_at = NULL, definition_name = NULL, name = NULL, description = NULL, ' +
        'name_folded = NULL, description_folded = NULL, summary_json = NULL, fields_json = NULL, raw_text = NULL ' +
        'WHERE id = ?',
    )
    .run(schemaId)
  connection.statement('DELETE FROM schema_text WHERE rowid = ?').run(schemaId)
}

/** Gives the row of a registered schema the name that counts now, and everything that is made from it. */
export function writeName(connection: Connection, schemaId: number, schema: Schema, name: string): void {
  connection
    .statement('UPDATE schema SET name = ?, name_folded = ?, summary_json = ? WHERE id = ?')
    .run(encodeText(name), searchText(name), schemaSummaryJson(schema, name), schemaId)
  connection.statement('DELETE FROM schema_text WHERE rowid = ?').run(schemaId)
  connection
    .statement('INSERT INTO schema_text (rowid, name, description) VALUES (?, ?, ?)')
    .run(schemaId, indexedText(name), indexedText(schema.definition.description))
}

/** A registered schema as its row keeps it, with the name that counts. */
export interface RegisteredSchema {
  readonly id: number
  readonly registrantId: number
  readonly name: string
  readonly schema: Schema
}

/** The registered schema of that id; null where it is not registered. */
export function findRegisteredSchema(
  connection: Connection,
  chainId: number,
  localId: LocalId,
): RegisteredSchema | null {
  const row = connection
    .statement<SqlRowOfSchema>(
      'SELECT id, registrant_id, name, position, register_timestamp, registrant, resolver, protocol, revocable, ' +
        'max_valid_for, data_location, transaction_hash, transaction_sender, definition_name, description, ' +
        'fields_json, raw_text FROM schema WHERE local_id = ? AND chain_id = ? AND registered = 1',
    )
    .get(localId.slice(2), chainId)
  if (row === undefined) return null
  const schema: Schema = {
    key: { chainId, localId },
    position: row[3] as Position,
    registerTimestamp: unixSeconds(row[4]),
    registrant: row[5] as Address,
    resolver: row[6] as Address,
    protocol: row[7],
    revocable: row[8] === 1,
    maxValidFor: BigInt(row[9]),
    dataLocation: row[10] as DataLocation,
    transactionHash: row[11] as Hash,
    transactionSender: row[12] as Address | null,
    definition: {
      name: decodeText(row[13]),
      description: decodeText(row[14]),
      fields: JSON.parse(row[15]) as SchemaField[],
    },
    rawText: decodeText(row[16]),
  }
  return { id: row[0], registrantId: row[1], name: decodeText(row[2]), schema }
}

type SqlRowOfSchema = [
  id: number,
  registrantId: number,
  name: SqlValue,
  position: number,
  registerTimestamp: number,
  registrant: string,
  resolver: string,
  protocol: string,
  revocable: number,
  maxValidFor: string,
  dataLocation: string,
  transactionHash: string,
  transactionSender: string | null,
  definitionName: SqlValue,
  description: SqlValue,
  fieldsJson: string,
  rawText: SqlValue,
]

/** The form in which text is searched; unpaired surrogates become U+FFFD, as they would in any query. */
export function searchText(text: string): string {
  return foldText(text.toWellFormed())
}

/** The tokenizer stops at a NUL; no keyword holds one, so a space in its place finds neither more nor less. */
export function indexedText(text: string): string {
  return searchText(text).replaceAll('\0', ' ')
}
