import type { Layout } from '../layout/layoutSteps.ts'

const baseline = `
  CREATE TABLE attestry_layout (version integer NOT NULL);
  INSERT INTO attestry_layout VALUES (0);

  CREATE TABLE index_state (
    is_only boolean PRIMARY KEY CHECK (is_only),
    version bigint NOT NULL,
    write_count bigint NOT NULL,
    attestation_count bigint NOT NULL,
    schema_count bigint NOT NULL,
    next_address_id bigint NOT NULL,
    next_schema_id bigint NOT NULL,
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
    received_other bigint NOT NULL,
    received_self bigint NOT NULL
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX address_by_bytes ON address (bytes);

  CREATE TABLE schema (
    id bigint PRIMARY KEY,
    chain_id bigint NOT NULL,
    local_id text COLLATE "C" NOT NULL,
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
    definition_name text,
    name text,
    description text,
    summary_json text,
    fields_json text,
    raw_text text,
    -- The class of attestation_count (countClass.ts): the index of their order moves with it alone. A row whose counts
    -- move within their class is rewritten in place, without its indexes, as long as its page has room.
    count_class integer NOT NULL GENERATED ALWAYS AS (width_bucket(attestation_count, ARRAY[
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 21, 25, 29, 33, 41, 49, 57, 65, 81, 97, 113, 129,
      161, 193, 225, 257, 321, 385, 449, 513, 641, 769, 897, 1025, 1281, 1537, 1793, 2049, 2561, 3073, 3585, 4097,
      5121, 6145, 7169, 8193, 10241, 12289, 14337, 16385, 20481, 24577, 28673, 32769, 40961, 49153, 57345, 65537,
      81921, 98305, 114689, 131073, 163841, 196609, 229377, 262145, 327681, 393217, 458753, 524289, 655361, 786433,
      917505, 1048577, 1310721, 1572865, 1835009, 2097153, 2621441, 3145729, 3670017, 4194305, 5242881, 6291457,
      7340033, 8388609, 10485761, 12582913, 14680065, 16777217, 20971521, 25165825, 29360129, 33554433, 41943041,
      50331649, 58720257, 67108865, 83886081, 100663297, 117440513, 134217729, 167772161, 201326593, 234881025,
      268435457, 335544321, 402653185, 469762049, 536870913, 671088641, 805306369, 939524097, 1073741825, 1342177281,
      1610612737, 1879048193, 2147483649, 2684354561, 3221225473, 3758096385
    ]::bigint[])) STORED
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX schema_by_local_id ON schema (local_id, chain_id);
  CREATE INDEX schema_by_time ON schema (register_timestamp, chain_id, position) WHERE registered;
  CREATE INDEX schema_by_registrant ON schema (registrant_id, register_timestamp, chain_id, position) WHERE registered;
  CREATE INDEX schema_by_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id IS NOT NULL;
  CREATE INDEX schema_by_chain ON schema (chain_id, register_timestamp, position) WHERE registered;
  CREATE INDEX schema_by_transaction ON schema (transaction_key) WHERE registered;
  CREATE INDEX schema_by_class ON schema (count_class DESC, register_timestamp, chain_id, position) WHERE registered;
  -- The schemas of an address are those that it registered, and these.
  CREATE INDEX schema_by_other_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id <> registrant_id;
  CREATE UNIQUE INDEX schema_by_position ON schema (chain_id, position) WHERE registered;
  -- A table of its own, so that a search without a trigram index reads nothing but these texts.
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
    valid_until bigint NOT NULL,
    sync_at bigint NOT NULL,
    last_sync_at bigint,
    revoked_id bigint,
    local_id text COLLATE "C" NOT NULL,
    protocol text COLLATE "C" NOT NULL,
    exact_valid_until text,
    data_location text NOT NULL,
    linked_local_id text COLLATE "C",
    transaction_sender text,
    recipient_ids bigint[] NOT NULL,
    value_keys bytea,
    revoke_timestamp text,
    revoke_reason text,
    revoke_transaction text,
    schema_local_id text NOT NULL,
    attester text NOT NULL,
    recipients_json text NOT NULL,
    transaction_hash bytea NOT NULL,
    indexing_value_json text NOT NULL,
    data bytea NOT NULL,
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
  -- A prefix of one or two digits is looked up by this index, in the order of listings.
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
    holder integer NOT NULL,
    PRIMARY KEY (value_key, attest_timestamp, chain_id, id)
  );

  CREATE TABLE revocation_claim (
    id bigint PRIMARY KEY,
    chain_id bigint NOT NULL,
    state integer NOT NULL,
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
  CREATE TABLE account_anchor (
    account text COLLATE "C" NOT NULL,
    chain_id bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (account, chain_id, kind)
  );

  CREATE TABLE undecodable (id bigint PRIMARY KEY, body_json text NOT NULL);

  CREATE TABLE schema_hour (
    hour bigint NOT NULL,
    schema_id bigint NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (hour, schema_id)
  );
  CREATE TABLE hour_version (hour bigint PRIMARY KEY, version bigint NOT NULL);

  -- Attesters who made one attestation alone are left out of the index by count: they come last there, in the order
  -- of the primary key.
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

  CREATE TABLE protocol_day (
    chain_id bigint NOT NULL,
    protocol text COLLATE "C" NOT NULL,
    day integer NOT NULL,
    schema_count bigint NOT NULL,
    attestation_count bigint NOT NULL,
    PRIMARY KEY (chain_id, protocol, day)
  );

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
    first_position bigint,
    last_position bigint,
    body_json text
  );
  INSERT INTO change (sequence, chain_id, body_json)
    VALUES (CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint), 0, '[]');
`

/** Hooks, rows of the journal by time, and the attestations that a transaction revoked. */
const hooks = `
  ALTER TABLE change ADD COLUMN written_at bigint NOT NULL DEFAULT 0;
  UPDATE change SET written_at = CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint);
  CREATE TABLE hook (
    name text COLLATE "C" PRIMARY KEY,
    paused boolean NOT NULL,
    replay_json text,
    state_json text
  );
  CREATE INDEX attestation_by_revoking ON attestation (substr(revoke_transaction, 1, 14))
    WHERE revoke_transaction IS NOT NULL;
`

/** The index of decoded fields; the writer fills it from the stored payloads. */
const fieldIndex = `
  ALTER TABLE index_state ADD COLUMN next_field_id bigint NOT NULL DEFAULT 1;
  ALTER TABLE schema ADD COLUMN field_state integer NOT NULL DEFAULT 0;
  -- Empty of all but a few rows where every schema is indexed.
  CREATE INDEX schema_by_field_state ON schema (chain_id, field_state) WHERE registered AND field_state <> 2;
  CREATE TABLE field_build (
    schema_id bigint PRIMARY KEY,
    done_timestamp bigint NOT NULL,
    done_id bigint NOT NULL,
    until_id bigint NOT NULL,
    done_count bigint NOT NULL
  );
  CREATE TABLE field (
    schema_id bigint NOT NULL,
    path_key bytea NOT NULL,
    kind integer NOT NULL,
    id bigint NOT NULL,
    path text NOT NULL,
    value_count bigint NOT NULL,
    PRIMARY KEY (schema_id, path_key, kind)
  ) WITH (fillfactor = 80);
  CREATE INDEX field_by_path ON field (path_key);
  CREATE TABLE field_value (
    field_id bigint NOT NULL,
    value_key bytea NOT NULL,
    id bigint NOT NULL,
    value text NOT NULL,
    count bigint NOT NULL,
    PRIMARY KEY (field_id, value_key)
  ) WITH (fillfactor = 80);
  CREATE TABLE field_posting (
    value_id bigint NOT NULL,
    attest_timestamp bigint NOT NULL,
    id bigint NOT NULL,
    PRIMARY KEY (value_id, attest_timestamp, id)
  );
`

/**
 * Anchors with what they anchor. No database holds the values of anchors that were indexed before: each chain is
 * indexed again from its first anchor on.
 */
const anchors = `
  UPDATE chain SET rewind_to = (
    SELECT least(coalesce(chain.rewind_to, 9007199254740991), ((min(n.id) & 9007199254740991) >> 20) - 1)
    FROM anchor n WHERE n.id BETWEEN chain.ordinal::bigint << 53 AND ((chain.ordinal::bigint + 1) << 53) - 1
  ) WHERE EXISTS (
    SELECT 1 FROM anchor n WHERE n.id BETWEEN chain.ordinal::bigint << 53 AND ((chain.ordinal::bigint + 1) << 53) - 1
  );
  DELETE FROM anchor_count;
  DELETE FROM account_anchor;
  DROP TABLE anchor;
  CREATE TABLE anchor (
    id bigint PRIMARY KEY,
    chain_id bigint NOT NULL,
    protocol text NOT NULL,
    kind text COLLATE "C" NOT NULL,
    account text COLLATE "C",
    value text NOT NULL,
    value_key bytea NOT NULL,
    timestamp bigint NOT NULL,
    transaction_hash text NOT NULL,
    reason text NOT NULL
  );
  CREATE INDEX anchor_by_time ON anchor (timestamp, chain_id, id);
  CREATE INDEX anchor_by_kind ON anchor (kind, timestamp, chain_id, id);
  CREATE INDEX anchor_by_account ON anchor (account, timestamp, chain_id, id) WHERE account IS NOT NULL;
  CREATE INDEX anchor_by_value ON anchor (value_key, timestamp, chain_id, id);
`

/** The attestations with other recipients than distinct addresses (`Dialect.hasOtherRecipients`). */
const otherRecipients = `
  CREATE INDEX attestation_other_recipients ON attestation (attest_timestamp, chain_id, id)
    WHERE least(length(recipients_json) - CASE cardinality(recipient_ids) WHEN 0 THEN 2
      ELSE 1 + 45 * cardinality(recipient_ids) END, 1) = 1;
`

/**
 * Whether an attestation itself can be revoked. NULL in the rows from before: as the schema says, until
 * `attestry verify --repair` or a new index reads the record again (docs/operating.md).
 */
const ownRevocable = 'ALTER TABLE attestation ADD COLUMN revocable boolean'

/**
 * Payloads of EAS that only lenient decoders read are in the index of fields (protocols/decodeIndexedPayload.ts): the
 * writer drops the index of EAS's schemas, and makes it anew from the stored payloads.
 */
const lenientPayloads = `
  DELETE FROM field_build WHERE schema_id IN (SELECT id FROM schema WHERE protocol = 'eas');
  UPDATE schema SET field_state = 3 WHERE protocol = 'eas' AND registered AND field_state <> 0;
`

/** The keys of records hold their protocol (docs/adr/0021). */
const keysByProtocol = `
  UPDATE schema SET protocol = (SELECT a.protocol FROM attestation a WHERE a.schema_id = schema.id LIMIT 1)
    WHERE protocol IS NULL;
  ALTER TABLE schema ALTER COLUMN protocol SET NOT NULL;
  DROP INDEX schema_by_local_id;
  CREATE UNIQUE INDEX schema_by_local_id ON schema (local_id, protocol, chain_id);
  DROP INDEX attestation_by_local_id;
  CREATE UNIQUE INDEX attestation_by_local_id ON attestation (local_id, protocol, chain_id);
  DROP INDEX attestation_by_linked;
  CREATE INDEX attestation_by_linked ON attestation (chain_id, linked_local_id, protocol, attest_timestamp, id)
    WHERE linked_local_id IS NOT NULL;
`

/**
 * The portal of an attestation and the context of a schema, both of Verax. Rows from before are of protocols that have
 * neither.
 */
const portals = `
  ALTER TABLE attestation ADD COLUMN portal bytea;
  ALTER TABLE schema ADD COLUMN context text;
  CREATE INDEX attestation_by_portal ON attestation (portal, chain_id, attest_timestamp, id) WHERE portal IS NOT NULL;
`

/** The digest of each chain's events; the writer makes those of chains that are indexed already, from their rows. */
const digests = `
  ALTER TABLE chain ADD COLUMN digest_block bigint;
  ALTER TABLE chain ADD COLUMN digest_events bigint;
  ALTER TABLE chain ADD COLUMN digest bytea;
  CREATE TABLE chain_digest (
    chain_id bigint NOT NULL,
    block bigint NOT NULL,
    events bigint NOT NULL,
    digest bytea NOT NULL,
    PRIMARY KEY (chain_id, block)
  );
`

/**
 * What contracts say of subjects beside the records. Rows from before have none: Verax is indexed from its first log.
 */
const metadata = `
  CREATE TABLE metadata (
    id bigint PRIMARY KEY,
    chain_id bigint NOT NULL,
    protocol text NOT NULL,
    kind text NOT NULL,
    subject text COLLATE "C" NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX metadata_by_subject ON metadata (subject, kind, chain_id, protocol, id);
`

/**
 * The layout of a PostgreSQL database; the table `attestry_layout` holds its number. docs/adr/0008 explains it.
 */
export const postgresLayout: Layout = {
  baseline: { version: 4, sql: baseline },
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
