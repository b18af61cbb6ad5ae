import { hash } from 'node:crypto'
import type { SchemaField } from '@attestry/core/model/records.ts'
import { attestationColumns, compositeId, select } from '@attestry/store/layout/sqlViews.ts'
import { furtherViewTable } from '@attestry/store/layout/furtherViews.ts'
import { typedColumns, type TypedColumn } from './typedColumns.ts'
import { quoted, type TypedDatabase, type TypedWords } from './typedDatabase.ts'

/**
 * A typed table: the decoded payloads of one schema in a table, and two views that join it with the attestations of the
 * index. The views take from the index all that may change: which records there are, and whether they are revoked. A row
 * of the table counts only if it was made of the payload, and by the fields, that the index has now. So a view never
 * shows a value of another payload, whatever was reverted; a payload that is still to be decoded says so.
 */
export interface TypedTable {
  readonly name: string
  /** The schema as the index has it. */
  readonly schema: TypedSchema
  readonly columns: readonly TypedColumn[]
}

export interface TypedSchema {
  readonly rowId: number
  /** The id of the API. */
  readonly id: string
  readonly chainId: number
  readonly chainOrdinal: number
  /** Hexadecimal digits. */
  readonly localDigits: string
  readonly protocol: string
  /** The fields as payloads encode them, as JSON. */
  readonly fieldsJson: string
}

/** The end of the name of the view with a row for each recipient. */
const recipientsEnd = '_recipients'

/** The names of the views of a typed table. */
export function viewsOf(name: string): readonly [table: string, recipients: string] {
  return [name, `${name}${recipientsEnd}`]
}

/** The start of the names of the tables that hold decoded payloads. */
export const storagePrefix = 'typed_'

export const storageOf = (name: string) => quoted(`${storagePrefix}${name}`)

/** The columns beside those of the fields, with their comments. */
const ownColumns = {
  key: 'attestry.attestations.key of the attestation',
  id: 'Id of the attestation in the API',
  attester: 'Account that made the attestation, in lower case',
  recipient: 'Its only recipient, an address in lower case; NULL without one and with several',
  attested_at: 'Time of the attestation',
  valid_until: 'End of its validity; NULL: for ever',
  revoked: 'Whether the attestation was revoked',
  revoked_at: 'Time of the revocation; NULL unless revoked',
  block_number: 'Block of the attestation',
  transaction_hash: 'Transaction of the attestation',
  decode_error: 'Reason why the columns of the fields are NULL; NULL for a decoded payload',
} as const

export const undecodedYet = 'not decoded yet'

export function describeTable(name: string, schema: TypedSchema, words: TypedWords): TypedTable {
  // The index made the text of these fields.
  const fields = JSON.parse(schema.fieldsJson) as readonly SchemaField[]
  return { name, schema, columns: typedColumns(fields, [...Object.keys(ownColumns), ...words.systemColumns]) }
}

/** The statement that makes the table of decoded payloads. `data` and `data_location` are those that it decoded. */
export function storageStatement({ name, columns }: TypedTable, { types }: TypedWords): string {
  const own = [
    `id ${types.id} PRIMARY KEY`,
    `data ${types.bytes} NOT NULL`,
    `data_location ${types.text} NOT NULL`,
    `decode_error ${types.text}`,
  ]
  const fields = columns.map(({ kind }, index) => `c${index} ${types[kind]}`)
  return `CREATE TABLE ${storageOf(name)} (${[...own, ...fields].join(', ')})`
}

/** The join of decoded payloads `t` of a typed table with attestations `a`. */
export function joinStorage(name: string): string {
  return `LEFT JOIN ${storageOf(name)} t ON t.id = a.id AND t.data = a.data AND t.data_location = a.data_location`
}

/** The statements that make the views, and comment on them. */
export function viewStatements(table: TypedTable, words: TypedWords): readonly string[] {
  const [name, recipients] = viewsOf(table.name)
  const { schema } = table
  const ofSchema =
    `FROM schema s WHERE s.chain_id = ${schema.chainId} AND s.local_id = '${schema.localDigits}' ` +
    `AND s.protocol = '${schema.protocol}'`
  const from = (more: string) =>
    `attestation a${more} ${joinStorage(table.name)} ` +
    `AND (SELECT coalesce(s.payload_fields_json, s.fields_json) ${ofSchema}) = ${literal(schema.fieldsJson)} ` +
    `WHERE a.schema_id = (SELECT s.id ${ofSchema})`
  const selectWith = (recipient: string, more: string) =>
    select(columnsOf(table, recipient, words), from(more))
  const made = [
    `CREATE VIEW ${words.viewName(name)} AS ${selectWith(words.onlyRecipient, '')}`,
    `CREATE VIEW ${words.viewName(recipients)} AS ${selectWith(words.recipient, ` CROSS JOIN ${words.eachRecipient}`)}`,
  ]
  return words.hasComments ? [...made, ...comments(table, words)] : made
}

function columnsOf({ columns }: TypedTable, recipient: string, words: TypedWords) {
  const of = attestationColumns(words)
  const own: Record<keyof typeof ownColumns, string> = {
    key: of.key,
    id: compositeId('a.chain_id', 'a.local_id'),
    attester: of.attester,
    recipient,
    attested_at: of.attested_at,
    valid_until: of.valid_until,
    revoked: of.revoked,
    revoked_at: of.revoked_at,
    block_number: of.block,
    transaction_hash: of.transaction_hash,
    decode_error: `CASE WHEN t.id IS NULL THEN '${undecodedYet}' ELSE t.decode_error END`,
  }
  const fields = columns.map(({ name }, index) => [quoted(name), `t.c${index}`] as const)
  return { ...own, ...Object.fromEntries(fields) }
}

function comments({ name, schema, columns }: TypedTable, words: TypedWords): readonly string[] {
  const texts = {
    ...ownColumns,
    ...Object.fromEntries(
      columns.map(({ name: column, field }) => [
        column,
        words.plainText(`Field ${field.name || '(without a name)'} of type ${field.type}`),
      ]),
    ),
  }
  const [table, recipients] = viewsOf(name)
  const views = [
    [table, `Attestations of the schema ${schema.id}`, texts],
    [
      recipients,
      `Attestations of the schema ${schema.id}, a row for each recipient`,
      { ...texts, recipient: 'Recipient, an address in lower case' },
    ],
  ] as const
  return views.flatMap(([view, text, ofColumns]) => [
    `COMMENT ON VIEW ${words.viewName(view)} IS ${literal(text)}`,
    ...Object.entries(ofColumns).map(
      ([column, comment]) =>
        `COMMENT ON COLUMN ${words.viewName(view)}.${quoted(column)} IS ${literal(comment)}`,
    ),
  ])
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** A typed table as the database notes it, under the name of each of its views. */
export interface NotedTable {
  readonly name: string
  readonly schemaId: string
  /** A digest of what decoded payloads depend on: the fields, and the version of the program that decodes. */
  readonly storage: string
  /** A digest of the statements of the views. */
  readonly views: string
}

export function noteOf(table: TypedTable, words: TypedWords, program: string): NotedTable {
  const digest = (...texts: readonly string[]) => hash('sha256', texts.join('\n')).slice(0, 16)
  return {
    name: table.name,
    schemaId: table.schema.id,
    storage: digest(program, storageStatement(table, words), table.schema.fieldsJson),
    views: digest(...viewStatements(table, words)),
  }
}

/** Makes the table of notes if it is missing. */
export async function makeNotes(database: TypedDatabase): Promise<void> {
  const { text } = database.words.types
  if (await database.hasNotes()) return
  await database.transact(() => database.exec(noteStatement(text)))
}

const noteStatement = (text: string) =>
  `CREATE TABLE IF NOT EXISTS ${furtherViewTable} (view ${text} PRIMARY KEY, name ${text} NOT NULL, ` +
  `schema_id ${text} NOT NULL, storage ${text} NOT NULL, views ${text} NOT NULL)`

/** The typed tables that the database notes; the table of notes exists. */
export async function readNotes(database: TypedDatabase): Promise<readonly NotedTable[]> {
  const rows = await database.all<[string, string, string, string]>(
    `SELECT DISTINCT name, schema_id, storage, views FROM ${furtherViewTable} ORDER BY name`,
  )
  return rows.map(([name, schemaId, storage, views]) => ({ name, schemaId, storage, views }))
}

/** Makes the views of a table anew, and its decoded payloads if `keepsStorage` is false. */
export async function makeTable(
  database: TypedDatabase,
  table: TypedTable,
  note: NotedTable,
  keepsStorage: boolean,
): Promise<void> {
  const { words } = database
  await database.transact(async () => {
    await dropParts(database, table.name, !keepsStorage)
    if (!keepsStorage) await database.exec(storageStatement(table, words))
    for (const statement of viewStatements(table, words)) await database.exec(statement)
    for (const view of viewsOf(table.name)) {
      await database.all(
        `INSERT INTO ${furtherViewTable} (view, name, schema_id, storage, views) VALUES (?, ?, ?, ?, ?)`,
        view,
        note.name,
        note.schemaId,
        note.storage,
        note.views,
      )
    }
  })
}

/** Drops a table with its views and its note. */
export function dropTable(database: TypedDatabase, name: string): Promise<void> {
  return database.transact(() => dropParts(database, name, true))
}

async function dropParts(database: TypedDatabase, name: string, withStorage: boolean): Promise<void> {
  for (const view of viewsOf(name)) {
    await database.exec(`DROP VIEW IF EXISTS ${database.words.viewName(view)}`)
  }
  if (withStorage) await database.exec(`DROP TABLE IF EXISTS ${storageOf(name)}`)
  await database.all(`DELETE FROM ${furtherViewTable} WHERE name = ?`, name)
}
