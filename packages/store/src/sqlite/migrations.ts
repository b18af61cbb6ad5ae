import { composeLayout } from '../layout/composeLayout.ts'
import { textIndexOf } from './textMatch.ts'
import type { LayoutWords } from '../layout/layoutWords.ts'

const ownTables = `
  CREATE TABLE index_state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,
    attestation_count INTEGER NOT NULL,
    schema_count INTEGER NOT NULL,
    rank_threshold INTEGER NOT NULL
  ) STRICT;
  INSERT INTO index_state VALUES (1, 0, 0, 0, 128);

  CREATE TABLE address (
    id INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL UNIQUE,
    schemas_created INTEGER NOT NULL,
    created INTEGER NOT NULL,
    received_other INTEGER NOT NULL,
    received_self INTEGER NOT NULL
  ) STRICT;

  CREATE VIRTUAL TABLE schema_text USING fts5(
    name, description, content='', contentless_delete=1, tokenize="trigram case_sensitive 1"
  );

  CREATE TABLE attestation (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    local_id TEXT NOT NULL,
    schema_id INTEGER NOT NULL,
    attester_id INTEGER NOT NULL,
    attest_timestamp INTEGER NOT NULL,
    transaction_key INTEGER NOT NULL,
    -- Joined by commas; NULL where there are none.
    recipient_ids TEXT,
    value_keys BLOB,
    protocol TEXT NOT NULL,
    valid_until INTEGER NOT NULL,
    exact_valid_until TEXT,
    revocable INTEGER,
    portal BLOB,
    contract_version INTEGER,
    subject BLOB,
    data_location TEXT NOT NULL,
    linked_local_id TEXT,
    transaction_sender TEXT,
    sync_at INTEGER NOT NULL,
    last_sync_at INTEGER,
    revoked_id INTEGER,
    revoke_timestamp TEXT,
    revoke_reason ANY,
    revoke_transaction TEXT,
    schema_local_id TEXT NOT NULL,
    attester TEXT NOT NULL,
    recipients_json TEXT NOT NULL,
    transaction_hash BLOB NOT NULL,
    indexing_value_json TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (local_id, chain_id, protocol)
  ) STRICT;

  CREATE TABLE received_by_chain (
    address_id INTEGER NOT NULL,
    is_self INTEGER NOT NULL,
    chain_id INTEGER NOT NULL,
    attest_timestamp INTEGER NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (address_id, is_self, chain_id, attest_timestamp, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE received_by_schema (
    address_id INTEGER NOT NULL,
    is_self INTEGER NOT NULL,
    schema_id INTEGER NOT NULL,
    attest_timestamp INTEGER NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (address_id, is_self, schema_id, attest_timestamp, id)
  ) STRICT, WITHOUT ROWID;
`

/** The words of the database in statements that make tables. */
export const sqliteWords: LayoutWords = {
  int32: 'INTEGER',
  int53: 'INTEGER',
  boolean: 'INTEGER',
  bytes: 'BLOB',
  text: 'TEXT',
  chainText: 'ANY',
  key: 'TEXT',
  byId: () => ' STRICT',
  byKey: () => ' STRICT, WITHOUT ROWID',
  id: '',
  registered: 'registered = 1',
  isTrue: (column) => `${column} = 1`,
  nowMs: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  foldedTexts: ', name_folded TEXT, description_folded TEXT',
  textIndex: ({ table, columns: [id = ''], text }) => {
    const index = textIndexOf(table)
    const add = `INSERT INTO ${index} (rowid, ${text}) VALUES (new.${id}, new.${text});`
    const remove = `INSERT INTO ${index} (${index}, rowid, ${text}) VALUES ('delete', old.${id}, old.${text});`
    const trigger = (on: string, work: string) =>
      `CREATE TRIGGER IF NOT EXISTS ${index}_${on.toLowerCase()} AFTER ${on} ON ${table} BEGIN ${work} END;\n`
    return (
      `CREATE VIRTUAL TABLE IF NOT EXISTS ${index} USING fts5(${text}, content='${table}', content_rowid='${id}', ` +
      `tokenize="trigram case_sensitive 1");\n` +
      trigger('INSERT', add) +
      trigger('DELETE', remove) +
      trigger('UPDATE', remove + add)
    )
  },
  schemaEnd: ', count_class INTEGER NOT NULL DEFAULT 0, UNIQUE (local_id, chain_id, protocol)',
  hasOtherRecipients: `length(recipients_json) <> CASE WHEN recipient_ids IS NULL THEN 2 ELSE
      46 + 45 * (length(recipient_ids) - length(replace(recipient_ids, ',', ''))) END`,
}

/**
 * The layout of a SQLite database; `PRAGMA user_version` holds its number. docs/adr/0002 explains it.
 */
export const sqliteLayout = composeLayout(ownTables, '', sqliteWords)
