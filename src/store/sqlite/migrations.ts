/**
 * The layout of the database, as numbered steps; `PRAGMA user_version` says how many a file has been through. A step
 * that was released is never edited: a change of layout is a new step. A step whose data is not in the database ends with
 * `UPDATE chain SET rewind_to = -1`: the indexer then says so and indexes again. docs/adr/0002 explains the layout; `test/upgrade`
 * holds a database of each.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE index_state (
    only INTEGER PRIMARY KEY CHECK (only = 1),
    version INTEGER NOT NULL,
    attestation_count INTEGER NOT NULL,
    schema_count INTEGER NOT NULL,
    -- Lists with more entries than this have a rank tree.
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
    -- Received from others, and from oneself: the two are disjoint, and created and received_other are.
    received_other INTEGER NOT NULL,
    received_self INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE schema (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    local_id TEXT NOT NULL,
    -- 0: attestations refer to it, but its registration is not indexed; the columns below the counters are NULL.
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
    UNIQUE (local_id, chain_id)
  ) STRICT;
  CREATE INDEX schema_by_time ON schema (register_timestamp, chain_id, position) WHERE registered = 1;
  CREATE INDEX schema_by_registrant ON schema (registrant_id, register_timestamp, chain_id, position)
    WHERE registered = 1;
  CREATE INDEX schema_by_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id IS NOT NULL;
  CREATE INDEX schema_by_chain ON schema (chain_id, register_timestamp, position) WHERE registered = 1;
  CREATE INDEX schema_by_transaction ON schema (transaction_key) WHERE registered = 1;
  CREATE INDEX schema_by_count ON schema (attestation_count DESC, register_timestamp, chain_id, position)
    WHERE registered = 1;
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
    -- Ids of the distinct recipient addresses, joined by commas; what a revert needs to find their postings.
    recipient_ids TEXT,
    value_keys BLOB,
    protocol TEXT NOT NULL,
    -- Seconds, 0 for ever, at most 2^63 - 1; the exact uint64 is in detail_json.
    valid_until INTEGER NOT NULL,
    data_location TEXT NOT NULL,
    linked_local_id TEXT,
    transaction_sender TEXT,
    sync_at INTEGER NOT NULL,
    last_sync_at INTEGER,
    -- The row id of the revocation's event; NULL when unrevoked or born revoked.
    revoked_id INTEGER,
    -- Decimal digits of a uint64; NULL exactly when unrevoked.
    revoke_timestamp TEXT,
    revoke_reason ANY,
    revoke_transaction TEXT,
    summary_json TEXT NOT NULL,
    detail_json TEXT NOT NULL,
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
    -- What has the value: 1 the indexing value, 2 a recipient, 3 both.
    holder INTEGER NOT NULL,
    PRIMARY KEY (value_key, attest_timestamp, chain_id, id)
  ) STRICT, WITHOUT ROWID;

  -- What reads said of revocations whose event had not turned up. state 0: pending, 1: settled as made, 2: its event came.
  CREATE TABLE revocation_claim (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    state INTEGER NOT NULL,
    -- The claimed time, at most 2^53 - 1; the exact one is in timestamp.
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

  -- Logs that no rule can read, and revocations that contradict the index; each as members of a JSON object.
  CREATE TABLE undecodable (id INTEGER PRIMARY KEY, body_json TEXT NOT NULL) STRICT;

  CREATE TABLE schema_hour (
    hour INTEGER NOT NULL,
    schema_id INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hour, schema_id)
  ) STRICT, WITHOUT ROWID;
  -- The version of the index that last changed the counts of an hour: readers keep an hour until it moves.
  CREATE TABLE hour_version (hour INTEGER PRIMARY KEY, version INTEGER NOT NULL) STRICT;

  -- Attestations of each attester under each schema. Those who made one alone are left out of the index by count: they
  -- come last there, in the order of the table.
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

  -- The parts of a list by chain, by schema and by day, kept while the whole list is over the threshold.
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
  `,
  `
  CREATE TABLE change (
    sequence INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    -- What blocks brought: every record and revocation between the two.
    first_position INTEGER,
    last_position INTEGER,
    -- What no table tells, as a JSON array; all three NULL: too much for a list.
    body_json TEXT
  ) STRICT;
  INSERT INTO change (sequence, chain_id, body_json) VALUES (CAST(unixepoch('subsec') * 1000 AS INTEGER), 0, '[]');
  `,
  // What begins with a digit or two is looked up by it, in the order of listings.
  'CREATE INDEX attestation_by_id_group ON attestation (substr(local_id, 1, 2), attest_timestamp, chain_id)',
  `
  -- Off-chain anchors of each account that is known to have made some.
  CREATE TABLE account_anchor (
    account TEXT NOT NULL,
    chain_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (account, chain_id, kind)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO account_anchor (account, chain_id, kind, count)
    SELECT account, c.chain_id, kind, count(*) FROM anchor JOIN chain c ON c.ordinal = anchor.id >> 53
    WHERE account IS NOT NULL GROUP BY 1, 2, 3;
  `,
  `
  -- By days since the epoch.
  CREATE TABLE protocol_day (
    chain_id INTEGER NOT NULL,
    protocol TEXT NOT NULL,
    day INTEGER NOT NULL,
    schema_count INTEGER NOT NULL,
    attestation_count INTEGER NOT NULL,
    PRIMARY KEY (chain_id, protocol, day)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO protocol_day (chain_id, protocol, day, schema_count, attestation_count)
    SELECT chain_id, protocol, day, sum(s), sum(a) FROM (
      SELECT chain_id, protocol, register_timestamp / 86400 AS day, count(*) AS s, 0 AS a
        FROM schema WHERE registered = 1 GROUP BY 1, 2, 3
      UNION ALL SELECT chain_id, protocol, attest_timestamp / 86400, 0, count(*) FROM attestation GROUP BY 1, 2, 3
    ) GROUP BY 1, 2, 3;
  `,
  `
  -- The class of attestation_count (countClass.ts): the index of their order moves with it alone.
  ALTER TABLE schema ADD COLUMN count_class INTEGER NOT NULL DEFAULT 0;
  WITH RECURSIVE bound (class, least) AS (
    SELECT 17, 17 UNION ALL
    SELECT class + 1, ((4 + (class - 16) % 4) << (2 + (class - 16) / 4)) + 1 FROM bound WHERE class < 128
  )
  UPDATE schema SET count_class = CASE
    WHEN attestation_count <= 16 THEN attestation_count
    ELSE (SELECT max(class) FROM bound WHERE least <= attestation_count)
  END;
  DROP INDEX schema_by_count;
  CREATE INDEX schema_by_class ON schema (count_class DESC, register_timestamp, chain_id, position)
    WHERE registered = 1;
  `,
  // The schemas of an address are those that it registered, and beside them these.
  `
  CREATE INDEX schema_by_other_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id <> registrant_id;
  `,
  // Each thing once, and bytes as bytes: the JSON of a record is made of its columns (layout/attestationJson.ts). A third of the size.
  `
  ALTER TABLE attestation RENAME TO attestation_rendered;
  CREATE TABLE attestation (
    id INTEGER PRIMARY KEY,
    chain_id INTEGER NOT NULL,
    local_id TEXT NOT NULL,
    schema_id INTEGER NOT NULL,
    attester_id INTEGER NOT NULL,
    attest_timestamp INTEGER NOT NULL,
    transaction_key INTEGER NOT NULL,
    -- Ids of the distinct recipient addresses, joined by commas; what a revert needs to find their postings.
    recipient_ids TEXT,
    value_keys BLOB,
    protocol TEXT NOT NULL,
    -- Seconds, 0 for ever, at most 2^63 - 1; where it is more, exact_valid_until has its digits.
    valid_until INTEGER NOT NULL,
    exact_valid_until TEXT,
    data_location TEXT NOT NULL,
    linked_local_id TEXT,
    transaction_sender TEXT,
    sync_at INTEGER NOT NULL,
    last_sync_at INTEGER,
    -- The row id of the revocation's event; NULL when unrevoked or born revoked.
    revoked_id INTEGER,
    -- Decimal digits of a uint64; NULL exactly when unrevoked.
    revoke_timestamp TEXT,
    revoke_reason ANY,
    revoke_transaction TEXT,
    schema_local_id TEXT NOT NULL,
    -- With its checksum, without 0x.
    attester TEXT NOT NULL,
    recipients_json TEXT NOT NULL,
    transaction_hash BLOB NOT NULL,
    indexing_value_json TEXT NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (local_id, chain_id)
  ) STRICT;
  -- Within a string of JSON every quotation mark follows a backslash, so that what is looked for stands where it was put.
  INSERT INTO attestation
    SELECT
      id, chain_id, local_id, schema_id, attester_id, attest_timestamp, transaction_key, recipient_ids, value_keys, protocol,
      valid_until, CASE WHEN valid_until = 9223372036854775807 THEN substr(until, 1, instr(until, '"') - 1) END,
      data_location, linked_local_id, transaction_sender, sync_at, last_sync_at, revoked_id,
      revoke_timestamp, revoke_reason, revoke_transaction,
      substr(schema, 1, instr(schema, '"') - 1),
      substr(summary_json, instr(summary_json, ',"attester":"0x') + 15, 40),
      substr(summary_json, instr(summary_json, ',"recipients":') + 14),
      unhex(substr(detail_json, 22, 64)),
      substr(detail_json, 104, instr(detail_json, ',"fullSchemaId":"') - 104),
      unhex(substr(data, 1, instr(data, '"') - 1))
    FROM (
      SELECT *,
        substr(summary_json, instr(summary_json, ',"schemaId":"0x') + 15) AS schema,
        substr(detail_json, instr(detail_json, ',"validUntil":"') + 15) AS until,
        substr(detail_json, instr(detail_json, ',"data":"0x') + 11) AS data
      FROM attestation_rendered
    ) ORDER BY id;
  DROP TABLE attestation_rendered;
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
  CREATE INDEX attestation_by_id_group ON attestation (substr(local_id, 1, 2), attest_timestamp, chain_id);
  `,
]
