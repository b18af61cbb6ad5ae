import type { Layout } from '../layout/layoutSteps.ts'

const baseline = `
  CREATE TABLE index_state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,
    attestation_count INTEGER NOT NULL,
    schema_count INTEGER NOT NULL,
    rank_threshold INTEGER NOT NULL
  ) STRICT;
  INSERT INTO index_state VALUES (1, 0, 0, 0, 128);

  CREATE TABLE chain (
    ordinal INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    contracts_json TEXT NOT NULL,
    rewind_to INTEGER,
    checkpoint_block INTEGER,
    checkpoint_timestamp INTEGER,
    schema_count INTEGER NOT NULL DEFAULT 0,
    attestation_count INTEGER NOT NULL DEFAULT 0,
    revocation_count INTEGER NOT NULL DEFAULT 0,
    undecodable_count INTEGER NOT NULL DEFAULT 0,
    status_json TEXT
  ) STRICT;

  CREATE TABLE recent_block (
    chain_id INTEGER NOT NULL,
    number INTEGER NOT NULL,
    hash TEXT NOT NULL,
    parent_hash TEXT NOT NULL,
    timestamp INTEGER NOT NULL,
    PRIMARY KEY (chain_id, number)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE address (
    id INTEGER PRIMARY KEY,
    bytes BLOB NOT NULL UNIQUE,
    schemas_created INTEGER NOT NULL,
    created INTEGER NOT NULL,
    received_other INTEGER NOT NULL,
    received_self INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE schema (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    local_id TEXT NOT NULL,
    registered INTEGER NOT NULL,
    attestation_count INTEGER NOT NULL,
    attester_count INTEGER NOT NULL,
    position INTEGER,
    register_timestamp INTEGER,
    registrant_id INTEGER,
    resolver_id INTEGER,
    registrant TEXT,
    resolver TEXT,
    protocol TEXT,
    revocable INTEGER,
    max_valid_for TEXT,
    data_location TEXT,
    transaction_key INTEGER,
    transaction_hash TEXT,
    transaction_sender TEXT,
    sync_at INTEGER,
    definition_name ANY,
    name ANY,
    description ANY,
    name_folded TEXT,
    description_folded TEXT,
    summary_json TEXT,
    fields_json TEXT,
    raw_text ANY,
    -- The class of attestation_count (countClass.ts): the index of their order moves with it alone.
    count_class INTEGER NOT NULL DEFAULT 0,
    UNIQUE (local_id, chain_id)
  ) STRICT;
  CREATE INDEX schema_by_time ON schema (register_timestamp, chain_id, position) WHERE registered = 1;
  CREATE INDEX schema_by_registrant ON schema (registrant_id, register_timestamp, chain_id, position)
    WHERE registered = 1;
  CREATE INDEX schema_by_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id IS NOT NULL;
  CREATE INDEX schema_by_chain ON schema (chain_id, register_timestamp, position) WHERE registered = 1;
  CREATE INDEX schema_by_transaction ON schema (transaction_key) WHERE registered = 1;
  CREATE INDEX schema_by_class ON schema (count_class DESC, register_timestamp, chain_id, position)
    WHERE registered = 1;
  -- The schemas of an address are those that it registered, and these.
  CREATE INDEX schema_by_other_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id <> registrant_id;
  CREATE UNIQUE INDEX schema_by_position ON schema (chain_id, position) WHERE registered = 1;
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
    UNIQUE (local_id, chain_id)
  ) STRICT;
  CREATE INDEX attestation_by_time ON attestation (attest_timestamp, chain_id);
  CREATE INDEX attestation_by_chain ON attestation (chain_id, attest_timestamp);
  CREATE INDEX attestation_by_schema ON attestation (schema_id, attest_timestamp);
  CREATE INDEX attestation_by_attester ON attestation (attester_id, chain_id, attest_timestamp);
  CREATE INDEX attestation_by_attester_schema ON attestation (attester_id, schema_id, attest_timestamp);
  CREATE INDEX attestation_by_transaction ON attestation (transaction_key);
  CREATE INDEX attestation_by_revocation ON attestation (revoked_id) WHERE revoked_id IS NOT NULL;
  CREATE INDEX attestation_revoked ON attestation (attest_timestamp, chain_id) WHERE revoke_timestamp IS NOT NULL;
  CREATE INDEX attestation_by_linked ON attestation (chain_id, linked_local_id, attest_timestamp)
    WHERE linked_local_id IS NOT NULL;
  -- A prefix of one or two digits is looked up by this index, in the order of listings.
  CREATE INDEX attestation_by_id_group ON attestation (substr(local_id, 1, 2), attest_timestamp, chain_id);

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
  CREATE TABLE value_posting (
    value_key BLOB NOT NULL,
    attest_timestamp INTEGER NOT NULL,
    chain_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    holder INTEGER NOT NULL,
    PRIMARY KEY (value_key, attest_timestamp, chain_id, id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE revocation_claim (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    state INTEGER NOT NULL,
    due INTEGER NOT NULL,
    timestamp TEXT NOT NULL,
    settled_block INTEGER
  ) STRICT;
  CREATE INDEX revocation_claim_by_state ON revocation_claim (chain_id, state, due);

  CREATE TABLE schema_name (
    id INTEGER PRIMARY KEY,
    schema_local_id TEXT NOT NULL,
    name ANY NOT NULL
  ) STRICT;
  CREATE INDEX schema_name_by_schema ON schema_name (schema_local_id);

  CREATE TABLE anchor (
    id INTEGER PRIMARY KEY,
    protocol TEXT NOT NULL,
    kind TEXT NOT NULL,
    account TEXT
  ) STRICT;
  CREATE TABLE anchor_count (
    chain_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (chain_id, kind)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE account_anchor (
    account TEXT NOT NULL,
    chain_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account, chain_id, kind)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE undecodable (id INTEGER PRIMARY KEY, body_json TEXT NOT NULL) STRICT;

  CREATE TABLE schema_hour (
    hour INTEGER NOT NULL,
    schema_id INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hour, schema_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE hour_version (hour INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT;

  -- Attesters who made one attestation alone are left out of the index by count: they come last there, in the order
  -- of the table.
  CREATE TABLE schema_attester (
    schema_id INTEGER NOT NULL,
    attester BLOB NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (schema_id, attester)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schema_attester_by_count ON schema_attester (schema_id, count DESC, attester) WHERE count > 1;

  CREATE TABLE protocol_count (
    chain_id INTEGER NOT NULL,
    protocol TEXT NOT NULL,
    schema_count INTEGER NOT NULL,
    attestation_count INTEGER NOT NULL,
    revocation_count INTEGER NOT NULL,
    PRIMARY KEY (chain_id, protocol)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE protocol_day (
    chain_id INTEGER NOT NULL,
    protocol TEXT NOT NULL,
    day INTEGER NOT NULL,
    schema_count INTEGER NOT NULL,
    attestation_count INTEGER NOT NULL,
    PRIMARY KEY (chain_id, protocol, day)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE list_count (
    kind INTEGER NOT NULL,
    owner_id INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (kind, owner_id, scope_id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE rank_node (
    kind INTEGER NOT NULL,
    owner_id INTEGER NOT NULL,
    scope_id INTEGER NOT NULL,
    level INTEGER NOT NULL,
    prefix INTEGER NOT NULL,
    counts BLOB NOT NULL,
    PRIMARY KEY (kind, owner_id, scope_id, level, prefix)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE change (
    sequence INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    first_position INTEGER,
    last_position INTEGER,
    body_json TEXT
  ) STRICT;
  INSERT INTO change (sequence, chain_id, body_json) VALUES (CAST(unixepoch('subsec') * 1000 AS INTEGER), 0, '[]');
`

/** Hooks, rows of the journal by time, and the attestations that a transaction revoked. */
const hooks = `
  ALTER TABLE change ADD COLUMN written_at INTEGER NOT NULL DEFAULT 0;
  UPDATE change SET written_at = CAST(unixepoch('subsec') * 1000 AS INTEGER);
  CREATE TABLE hook (
    name TEXT PRIMARY KEY,
    paused INTEGER NOT NULL,
    replay_json TEXT,
    state_json TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX attestation_by_revoking ON attestation (substr(revoke_transaction, 1, 14))
    WHERE revoke_transaction IS NOT NULL;
`

/** The index of decoded fields; the writer fills it from the stored payloads. */
const fieldIndex = `
  ALTER TABLE index_state ADD COLUMN next_field_id INTEGER NOT NULL DEFAULT 1;
  ALTER TABLE schema ADD COLUMN field_state INTEGER NOT NULL DEFAULT 0;
  -- Empty of all but a few rows where every schema is indexed.
  CREATE INDEX schema_by_field_state ON schema (chain_id, field_state) WHERE registered = 1 AND field_state <> 2;
  CREATE TABLE field_build (
    schema_id INTEGER PRIMARY KEY,
    done_timestamp INTEGER NOT NULL,
    done_id INTEGER NOT NULL,
    until_id INTEGER NOT NULL,
    done_count INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE field (
    schema_id INTEGER NOT NULL,
    path_key BLOB NOT NULL,
    kind INTEGER NOT NULL,
    id INTEGER NOT NULL,
    path ANY NOT NULL,
    value_count INTEGER NOT NULL,
    PRIMARY KEY (schema_id, path_key, kind)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX field_by_path ON field (path_key);
  CREATE TABLE field_value (
    field_id INTEGER NOT NULL,
    value_key BLOB NOT NULL,
    id INTEGER NOT NULL,
    value ANY NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (field_id, value_key)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE field_posting (
    value_id INTEGER NOT NULL,
    attest_timestamp INTEGER NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (value_id, attest_timestamp, id)
  ) STRICT, WITHOUT ROWID;
`

/**
 * Anchors with what they anchor. No database holds the values of anchors that were indexed before: each chain is
 * indexed again from its first anchor on.
 */
const anchors = `
  UPDATE chain SET rewind_to = (
    SELECT min(coalesce(chain.rewind_to, 9007199254740991), ((min(n.id) & 9007199254740991) >> 20) - 1)
    FROM anchor n WHERE n.id BETWEEN chain.ordinal << 53 AND ((chain.ordinal + 1) << 53) - 1
  ) WHERE EXISTS (
    SELECT 1 FROM anchor n WHERE n.id BETWEEN chain.ordinal << 53 AND ((chain.ordinal + 1) << 53) - 1
  );
  DELETE FROM anchor_count;
  DELETE FROM account_anchor;
  DROP TABLE anchor;
  CREATE TABLE anchor (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    protocol TEXT NOT NULL,
    kind TEXT NOT NULL,
    account TEXT,
    value ANY NOT NULL,
    value_key BLOB NOT NULL,
    timestamp INTEGER NOT NULL,
    transaction_hash TEXT NOT NULL,
    reason ANY NOT NULL
  ) STRICT;
  CREATE INDEX anchor_by_time ON anchor (timestamp, chain_id, id);
  CREATE INDEX anchor_by_kind ON anchor (kind, timestamp, chain_id, id);
  CREATE INDEX anchor_by_account ON anchor (account, timestamp, chain_id, id) WHERE account IS NOT NULL;
  CREATE INDEX anchor_by_value ON anchor (value_key, timestamp, chain_id, id);
`

/** The attestations with other recipients than distinct addresses (`Dialect.hasOtherRecipients`). */
const otherRecipients = `
  CREATE INDEX attestation_other_recipients ON attestation (attest_timestamp, chain_id)
    WHERE length(recipients_json) <> CASE WHEN recipient_ids IS NULL THEN 2 ELSE
      46 + 45 * (length(recipient_ids) - length(replace(recipient_ids, ',', ''))) END;
`

/**
 * Whether an attestation itself can be revoked. NULL in the rows from before: as the schema says, until
 * `attestry verify --repair` or a new index reads the record again (docs/operating.md).
 */
const ownRevocable = 'ALTER TABLE attestation ADD COLUMN revocable INTEGER'

/**
 * Payloads of EAS that only lenient decoders read are in the index of fields (protocols/decodeIndexedPayload.ts): the
 * writer drops the index of EAS's schemas, and makes it anew from the stored payloads.
 */
const lenientPayloads = `
  DELETE FROM field_build WHERE schema_id IN (SELECT id FROM schema WHERE protocol = 'eas');
  UPDATE schema SET field_state = 3 WHERE protocol = 'eas' AND registered = 1 AND field_state <> 0;
`

/**
 * The portal of an attestation and the context of a schema, both of Verax. Rows from before are of protocols that have
 * neither.
 */
const portals = `
  ALTER TABLE attestation ADD COLUMN portal BLOB;
  ALTER TABLE schema ADD COLUMN context ANY;
  CREATE INDEX attestation_by_portal ON attestation (portal, chain_id, attest_timestamp) WHERE portal IS NOT NULL;
`

/** The digest of each chain's events; the writer makes those of chains that are indexed already, from their rows. */
const digests = `
  ALTER TABLE chain ADD COLUMN digest_block INTEGER;
  ALTER TABLE chain ADD COLUMN digest_events INTEGER;
  ALTER TABLE chain ADD COLUMN digest BLOB;
  CREATE TABLE chain_digest (
    chain_id INTEGER NOT NULL,
    block INTEGER NOT NULL,
    events INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (chain_id, block)
  ) STRICT, WITHOUT ROWID;
`

/**
 * What contracts say of subjects beside the records. Rows from before have none: Verax is indexed from its first log.
 */
const metadata = `
  CREATE TABLE metadata (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    protocol TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    body ANY NOT NULL
  ) STRICT;
  CREATE INDEX metadata_by_subject ON metadata (subject, kind, chain_id, protocol);
`

/**
 * The keys of records hold their protocol (docs/adr/0021). The constraints of a table change in its text, and `REINDEX`
 * makes their indexes by the new text: a copy of the table would write each row and each index again.
 */
const keysByProtocol = `
  UPDATE schema SET protocol = (SELECT a.protocol FROM attestation a WHERE a.schema_id = schema.id LIMIT 1)
    WHERE protocol IS NULL;
  PRAGMA writable_schema = ON;
  UPDATE main.sqlite_schema SET sql = replace(
      replace(sql, 'UNIQUE (local_id, chain_id)', 'UNIQUE (local_id, chain_id, protocol)'),
      'protocol TEXT,', 'protocol TEXT NOT NULL,'
    ) WHERE type = 'table' AND name IN ('schema', 'attestation');
  PRAGMA writable_schema = RESET;
  REINDEX main.schema;
  REINDEX main.attestation;
  -- A new index also makes other connections read the texts of tables again.
  DROP INDEX main.attestation_by_linked;
  CREATE INDEX attestation_by_linked ON attestation (chain_id, linked_local_id, protocol, attest_timestamp)
    WHERE linked_local_id IS NOT NULL;
`

/**
 * The layout of a SQLite database; `PRAGMA user_version` holds its number. docs/adr/0002 explains it. `test/upgrade`
 * has a database of each layout.
 */
export const sqliteLayout: Layout = {
  baseline: { version: 8, sql: baseline },
  steps: [
    hooks,
    fieldIndex,
    anchors,
    otherRecipients,
    ownRevocable,
    lenientPayloads,
    portals,
    digests,
    keysByProtocol,
    metadata,
  ],
}
