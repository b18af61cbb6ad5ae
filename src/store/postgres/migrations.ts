/**
 * The layout of the database, as numbered steps; the table `attestry_layout` says how many a database has been through. A step
 * that was released is never edited: a change of layout is a new step. docs/adr/0008 explains the layout.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE attestry_layout (version integer NOT NULL);
  INSERT INTO attestry_layout VALUES (0);

  CREATE TABLE index_state (
    is_only boolean PRIMARY KEY CHECK (is_only),
    version bigint NOT NULL,
    -- Transactions of writers; who finds another number than it left has to read anew what it remembered.
    write_count bigint NOT NULL,
    attestation_count bigint NOT NULL,
    schema_count bigint NOT NULL,
    next_address_id bigint NOT NULL,
    next_schema_id bigint NOT NULL,
    -- Lists with more entries than this have a rank tree.
    rank_threshold integer NOT NULL
  ) WITH (fillfactor = 50);
  INSERT INTO index_state VALUES (true, 0, 0, 0, 0, 1, 1, 128);

  CREATE TABLE chain (
    ordinal integer PRIMARY KEY,
    chain_id bigint NOT NULL UNIQUE,
    name text NOT NULL,
    contracts_json text NOT NULL,
    rewind_to bigint,
    checkpoint_block bigint,
    checkpoint_timestamp bigint,
    schema_count bigint NOT NULL DEFAULT 0,
    attestation_count bigint NOT NULL DEFAULT 0,
    revocation_count bigint NOT NULL DEFAULT 0,
    undecodable_count bigint NOT NULL DEFAULT 0,
    status_json text
  ) WITH (fillfactor = 50);

  CREATE TABLE recent_block (
    chain_id bigint NOT NULL,
    number bigint NOT NULL,
    hash text NOT NULL,
    parent_hash text NOT NULL,
    timestamp bigint NOT NULL,
    PRIMARY KEY (chain_id, number)
  );

  CREATE TABLE address (
    id bigint PRIMARY KEY,
    bytes bytea NOT NULL,
    schemas_created bigint NOT NULL,
    created bigint NOT NULL,
    -- Received from others, and from oneself: the two are disjoint, and created and received_other are.
    received_other bigint NOT NULL,
    received_self bigint NOT NULL
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX address_by_bytes ON address (bytes);

  CREATE TABLE schema (
    id bigint PRIMARY KEY,
    chain_id bigint NOT NULL,
    local_id text COLLATE "C" NOT NULL,
    -- False: attestations refer to it, but its registration is not indexed; the columns below the counters are NULL.
    registered boolean NOT NULL,
    attestation_count bigint NOT NULL,
    attester_count bigint NOT NULL,
    position bigint,
    register_timestamp bigint,
    registrant_id bigint,
    resolver_id bigint,
    registrant text,
    resolver text,
    protocol text COLLATE "C",
    revocable boolean,
    max_valid_for text,
    data_location text,
    transaction_key bigint,
    transaction_hash text,
    transaction_sender text,
    sync_at bigint,
    -- Text of the chain's is kept in the form of textColumn.ts.
    definition_name text,
    name text,
    description text,
    summary_json text,
    fields_json text,
    raw_text text
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX schema_by_local_id ON schema (local_id, chain_id);
  CREATE INDEX schema_by_time ON schema (register_timestamp, chain_id, position) WHERE registered;
  CREATE INDEX schema_by_registrant ON schema (registrant_id, register_timestamp, chain_id, position) WHERE registered;
  CREATE INDEX schema_by_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id IS NOT NULL;
  CREATE INDEX schema_by_chain ON schema (chain_id, register_timestamp, position) WHERE registered;
  CREATE INDEX schema_by_transaction ON schema (transaction_key) WHERE registered;
  CREATE INDEX schema_by_count ON schema (attestation_count DESC, register_timestamp, chain_id, position)
    WHERE registered;
  CREATE UNIQUE INDEX schema_by_position ON schema (chain_id, position) WHERE registered;
  -- The folded text of registered schemas. Apart from them, so that nothing but its text is read where there is no trigram index.
  CREATE TABLE schema_text (
    schema_id bigint PRIMARY KEY,
    name text COLLATE "C" NOT NULL,
    description text COLLATE "C" NOT NULL
  );

  CREATE TABLE attestation (
    id bigint NOT NULL,
    chain_id bigint NOT NULL,
    schema_id bigint NOT NULL,
    attester_id bigint NOT NULL,
    attest_timestamp bigint NOT NULL,
    transaction_key bigint NOT NULL,
    -- Seconds, 0 for ever, at most 2^63 - 1; the exact uint64 is in detail_json.
    valid_until bigint NOT NULL,
    sync_at bigint NOT NULL,
    last_sync_at bigint,
    -- The id of the revocation's event; NULL when unrevoked or born revoked.
    revoked_id bigint,
    local_id text COLLATE "C" NOT NULL,
    protocol text COLLATE "C" NOT NULL,
    data_location text NOT NULL,
    linked_local_id text COLLATE "C",
    transaction_sender text,
    -- Ids of the distinct recipient addresses; what a revert needs to find their postings.
    recipient_ids bigint[] NOT NULL,
    value_keys bytea,
    -- Decimal digits of a uint64; NULL exactly when unrevoked.
    revoke_timestamp text,
    revoke_reason text,
    revoke_transaction text,
    summary_json text NOT NULL,
    detail_json text NOT NULL,
    PRIMARY KEY (id)
  );
  CREATE UNIQUE INDEX attestation_by_local_id ON attestation (local_id, chain_id);
  CREATE INDEX attestation_by_time ON attestation (attest_timestamp, chain_id, id);
  CREATE INDEX attestation_by_chain ON attestation (chain_id, attest_timestamp, id);
  CREATE INDEX attestation_by_schema ON attestation (schema_id, attest_timestamp, id);
  CREATE INDEX attestation_by_attester ON attestation (attester_id, chain_id, attest_timestamp, id);
  CREATE INDEX attestation_by_attester_schema ON attestation (attester_id, schema_id, attest_timestamp, id);
  CREATE INDEX attestation_by_transaction ON attestation (transaction_key);
  CREATE INDEX attestation_by_revocation ON attestation (revoked_id) WHERE revoked_id IS NOT NULL;
  CREATE INDEX attestation_revoked ON attestation (attest_timestamp, chain_id, id) WHERE revoke_timestamp IS NOT NULL;
  CREATE INDEX attestation_by_linked ON attestation (chain_id, linked_local_id, attest_timestamp, id)
    WHERE linked_local_id IS NOT NULL;
  -- What begins with a digit or two is looked up by it, in the order of listings.
  CREATE INDEX attestation_by_id_group ON attestation (substr(local_id, 1, 2), attest_timestamp, chain_id, id);

  CREATE TABLE received (
    address_id bigint NOT NULL,
    chain_id bigint NOT NULL,
    schema_id bigint NOT NULL,
    attest_timestamp bigint NOT NULL,
    id bigint NOT NULL,
    is_self boolean NOT NULL
  );
  CREATE INDEX received_by_chain ON received (address_id, is_self, chain_id, attest_timestamp, id);
  CREATE INDEX received_by_schema ON received (address_id, is_self, schema_id, attest_timestamp, id);

  CREATE TABLE value_posting (
    value_key bytea NOT NULL,
    attest_timestamp bigint NOT NULL,
    chain_id bigint NOT NULL,
    id bigint NOT NULL,
    -- What has the value: 1 the indexing value, 2 a recipient, 3 both.
    holder integer NOT NULL,
    PRIMARY KEY (value_key, attest_timestamp, chain_id, id)
  );

  -- What reads said of revocations whose event had not turned up. state 0: pending, 1: settled as made, 2: its event came.
  CREATE TABLE revocation_claim (
    id bigint PRIMARY KEY,
    chain_id bigint NOT NULL,
    state integer NOT NULL,
    -- The claimed time, at most 2^53 - 1; the exact one is in timestamp.
    due bigint NOT NULL,
    timestamp text NOT NULL,
    settled_block bigint
  );
  CREATE INDEX revocation_claim_by_state ON revocation_claim (chain_id, state, due);

  CREATE TABLE schema_name (
    id bigint PRIMARY KEY,
    schema_local_id text COLLATE "C" NOT NULL,
    name text NOT NULL
  );
  CREATE INDEX schema_name_by_schema ON schema_name (schema_local_id, id);

  CREATE TABLE anchor (
    id bigint PRIMARY KEY,
    protocol text NOT NULL,
    kind text NOT NULL,
    account text
  );
  CREATE TABLE anchor_count (
    chain_id bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (chain_id, kind)
  );
  -- Off-chain anchors of each account that is known to have made some.
  CREATE TABLE account_anchor (
    account text COLLATE "C" NOT NULL,
    chain_id bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (account, chain_id, kind)
  );

  -- Logs that no rule can read, and revocations that contradict the index; each as members of a JSON object.
  CREATE TABLE undecodable (id bigint PRIMARY KEY, body_json text NOT NULL);

  CREATE TABLE schema_hour (
    hour bigint NOT NULL,
    schema_id bigint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (hour, schema_id)
  );
  -- The version of the index that last changed the counts of an hour: readers keep an hour until it moves.
  CREATE TABLE hour_version (hour bigint PRIMARY KEY, version bigint NOT NULL);

  -- Attestations of each attester under each schema. Those who made one alone are left out of the index by count: they
  -- come last there, in the order of the primary key.
  CREATE TABLE schema_attester (
    schema_id bigint NOT NULL,
    attester bytea NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (schema_id, attester)
  ) WITH (fillfactor = 80);
  CREATE INDEX schema_attester_by_count ON schema_attester (schema_id, count DESC, attester) WHERE count > 1;

  CREATE TABLE protocol_count (
    chain_id bigint NOT NULL,
    protocol text COLLATE "C" NOT NULL,
    schema_count bigint NOT NULL,
    attestation_count bigint NOT NULL,
    revocation_count bigint NOT NULL,
    PRIMARY KEY (chain_id, protocol)
  );

  -- By days since the epoch.
  CREATE TABLE protocol_day (
    chain_id bigint NOT NULL,
    protocol text COLLATE "C" NOT NULL,
    day integer NOT NULL,
    schema_count bigint NOT NULL,
    attestation_count bigint NOT NULL,
    PRIMARY KEY (chain_id, protocol, day)
  );

  -- The parts of a list by chain, by schema and by day, kept while the whole list is over the threshold.
  CREATE TABLE list_count (
    kind integer NOT NULL,
    owner_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (kind, owner_id, scope_id)
  ) WITH (fillfactor = 80);
  CREATE TABLE rank_node (
    kind integer NOT NULL,
    owner_id bigint NOT NULL,
    scope_id bigint NOT NULL,
    level integer NOT NULL,
    prefix bigint NOT NULL,
    counts bytea NOT NULL,
    PRIMARY KEY (kind, owner_id, scope_id, level, prefix)
  ) WITH (fillfactor = 50);

  CREATE TABLE change (
    sequence bigint PRIMARY KEY,
    chain_id bigint NOT NULL,
    -- What blocks brought: every record and revocation between the two.
    first_position bigint,
    last_position bigint,
    -- What no table tells, as a JSON array; all three NULL: too much for a list.
    body_json text
  );
  INSERT INTO change (sequence, chain_id, body_json)
    VALUES (CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint), 0, '[]');
  `,
  `
  -- The class of attestation_count (countClass.ts): the index of their order moves with it alone. A row whose counts move within
  -- their class is rewritten in place, and no index with it, as long as its page has room.
  ALTER TABLE schema ADD COLUMN count_class integer NOT NULL GENERATED ALWAYS AS (width_bucket(attestation_count, ARRAY[
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 21, 25, 29, 33, 41, 49, 57, 65, 81, 97, 113, 129,
      161, 193, 225, 257, 321, 385, 449, 513, 641, 769, 897, 1025, 1281, 1537, 1793, 2049, 2561, 3073, 3585, 4097,
      5121, 6145, 7169, 8193, 10241, 12289, 14337, 16385, 20481, 24577, 28673, 32769, 40961, 49153, 57345, 65537,
      81921, 98305, 114689, 131073, 163841, 196609, 229377, 262145, 327681, 393217, 458753, 524289, 655361, 786433,
      917505, 1048577, 1310721, 1572865, 1835009, 2097153, 2621441, 3145729, 3670017, 4194305, 5242881, 6291457,
      7340033, 8388609, 10485761, 12582913, 14680065, 16777217, 20971521, 25165825, 29360129, 33554433, 41943041,
      50331649, 58720257, 67108865, 83886081, 100663297, 117440513, 134217729, 167772161, 201326593, 234881025,
      268435457, 335544321, 402653185, 469762049, 536870913, 671088641, 805306369, 939524097, 1073741825, 1342177281,
      1610612737, 1879048193, 2147483649, 2684354561, 3221225473, 3758096385
    ]::bigint[])) STORED;
  DROP INDEX schema_by_count;
  CREATE INDEX schema_by_class ON schema (count_class DESC, register_timestamp, chain_id, position) WHERE registered;
  `,
  // The schemas of an address are those that it registered, and beside them these.
  `
  CREATE INDEX schema_by_other_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id <> registrant_id;
  `,
  // Each thing once, and bytes as bytes: the JSON of a record is made of its columns (layout/attestationJson.ts). Half of the size.
  `
  ALTER TABLE attestation RENAME TO attestation_rendered;
  CREATE TABLE attestation (
    id bigint NOT NULL,
    chain_id bigint NOT NULL,
    schema_id bigint NOT NULL,
    attester_id bigint NOT NULL,
    attest_timestamp bigint NOT NULL,
    transaction_key bigint NOT NULL,
    -- Seconds, 0 for ever, at most 2^63 - 1; where it is more, exact_valid_until has its digits.
    valid_until bigint NOT NULL,
    sync_at bigint NOT NULL,
    last_sync_at bigint,
    -- The id of the revocation's event; NULL when unrevoked or born revoked.
    revoked_id bigint,
    local_id text COLLATE "C" NOT NULL,
    protocol text COLLATE "C" NOT NULL,
    exact_valid_until text,
    data_location text NOT NULL,
    linked_local_id text COLLATE "C",
    transaction_sender text,
    -- Ids of the distinct recipient addresses; what a revert needs to find their postings.
    recipient_ids bigint[] NOT NULL,
    value_keys bytea,
    -- Decimal digits of a uint64; NULL exactly when unrevoked.
    revoke_timestamp text,
    revoke_reason text,
    revoke_transaction text,
    schema_local_id text NOT NULL,
    -- With its checksum, without 0x.
    attester text NOT NULL,
    recipients_json text NOT NULL,
    transaction_hash bytea NOT NULL,
    indexing_value_json text NOT NULL,
    data bytea NOT NULL
  );
  -- Within a string of JSON every quotation mark follows a backslash, so that what is looked for stands where it was put.
  INSERT INTO attestation
    SELECT
      id, chain_id, schema_id, attester_id, attest_timestamp, transaction_key, valid_until, sync_at, last_sync_at,
      revoked_id, local_id, protocol,
      CASE WHEN valid_until = 9223372036854775807 THEN substr(until, 1, strpos(until, '"') - 1) END,
      data_location, linked_local_id, transaction_sender, recipient_ids, value_keys, revoke_timestamp, revoke_reason,
      revoke_transaction,
      substr(schema, 1, strpos(schema, '"') - 1),
      substr(summary_json, strpos(summary_json, ',"attester":"0x') + 15, 40),
      substr(summary_json, strpos(summary_json, ',"recipients":') + 14),
      decode(substr(detail_json, 22, 64), 'hex'),
      substr(detail_json, 104, strpos(detail_json, ',"fullSchemaId":"') - 104),
      decode(substr(data, 1, strpos(data, '"') - 1), 'hex')
    FROM (
      SELECT *,
        substr(summary_json, strpos(summary_json, ',"schemaId":"0x') + 15) AS schema,
        substr(detail_json, strpos(detail_json, ',"validUntil":"') + 15) AS until,
        substr(detail_json, strpos(detail_json, ',"data":"0x') + 11) AS data
      FROM attestation_rendered
    ) AS rendered ORDER BY id;
  DROP TABLE attestation_rendered;
  ALTER TABLE attestation ADD CONSTRAINT attestation_pkey PRIMARY KEY (id);
  CREATE UNIQUE INDEX attestation_by_local_id ON attestation (local_id, chain_id);
  CREATE INDEX attestation_by_time ON attestation (attest_timestamp, chain_id, id);
  CREATE INDEX attestation_by_chain ON attestation (chain_id, attest_timestamp, id);
  CREATE INDEX attestation_by_schema ON attestation (schema_id, attest_timestamp, id);
  CREATE INDEX attestation_by_attester ON attestation (attester_id, chain_id, attest_timestamp, id);
  CREATE INDEX attestation_by_attester_schema ON attestation (attester_id, schema_id, attest_timestamp, id);
  CREATE INDEX attestation_by_transaction ON attestation (transaction_key);
  CREATE INDEX attestation_by_revocation ON attestation (revoked_id) WHERE revoked_id IS NOT NULL;
  CREATE INDEX attestation_revoked ON attestation (attest_timestamp, chain_id, id) WHERE revoke_timestamp IS NOT NULL;
  CREATE INDEX attestation_by_linked ON attestation (chain_id, linked_local_id, attest_timestamp, id)
    WHERE linked_local_id IS NOT NULL;
  CREATE INDEX attestation_by_id_group ON attestation (substr(local_id, 1, 2), attest_timestamp, chain_id, id);
  ANALYZE attestation;
  `,
]
