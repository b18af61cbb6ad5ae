import { composeLayout } from '../layout/composeLayout.ts'
import type { LayoutWords } from '../layout/layoutWords.ts'

const ownTables = `
  CREATE TABLE attestry_layout (version integer NOT NULL);
  INSERT INTO attestry_layout VALUES (0);

  CREATE TABLE index_state (
    is_only boolean PRIMARY KEY CHECK (is_only),
    version bigint NOT NULL,
    write_count bigint NOT NULL,
    attestation_count bigint NOT NULL,
    schema_count bigint NOT NULL,
    rank_threshold integer NOT NULL
  ) WITH (fillfactor = 50);
  INSERT INTO index_state VALUES (true, 0, 0, 0, 0, 128);

  CREATE TABLE address (
    id bigint PRIMARY KEY,
    bytes bytea NOT NULL,
    schemas_created bigint NOT NULL,
    created bigint NOT NULL,
    received_other bigint NOT NULL,
    received_self bigint NOT NULL
  ) WITH (fillfactor = 80);

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
    contract_version integer,
    revocable boolean,
    local_id text COLLATE "C" NOT NULL,
    protocol text COLLATE "C" NOT NULL,
    exact_valid_until text,
    data_location text NOT NULL,
    linked_local_id text COLLATE "C",
    transaction_sender text,
    recipient_ids bigint[] NOT NULL,
    value_keys bytea,
    portal bytea,
    subject bytea,
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

  CREATE TABLE received (
    address_id bigint NOT NULL,
    chain_id bigint NOT NULL,
    schema_id bigint NOT NULL,
    attest_timestamp bigint NOT NULL,
    id bigint NOT NULL,
    is_self boolean NOT NULL
  );
`

const ownIndexes = `
  CREATE UNIQUE INDEX address_by_bytes ON address (bytes);
  CREATE UNIQUE INDEX schema_by_local_id ON schema (local_id, protocol, chain_id);
  CREATE UNIQUE INDEX attestation_by_local_id ON attestation (local_id, protocol, chain_id);
  CREATE INDEX received_by_chain ON received (address_id, is_self, chain_id, attest_timestamp, id);
  CREATE INDEX received_by_schema ON received (address_id, is_self, schema_id, attest_timestamp, id);
`

const countClass = `,
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
    ]::bigint[])) STORED`

/**
 * The body of the newest metadata of a portal. PostgreSQL prepares a sub-select of a statement each time the statement
 * runs, a function when it is first called: statements that meet no portal pay nothing for it.
 */
const portalBody = `
  CREATE FUNCTION portal_body(of_chain bigint, of_protocol text, of_portal bytea) RETURNS text
    LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
    BEGIN
      RETURN (
        SELECT m.body FROM metadata m
        WHERE m.subject = encode(of_portal, 'hex') AND m.kind = 'portal' AND m.chain_id = of_chain
          AND m.protocol = of_protocol
        ORDER BY m.id DESC LIMIT 1
      );
    END
    $$;
`

const withFill = (fill?: number) => (fill === undefined ? '' : ` WITH (fillfactor = ${fill})`)

/** The words of the database in statements that make tables. */
export const postgresWords: LayoutWords = {
  int32: 'integer',
  int53: 'bigint',
  boolean: 'boolean',
  bytes: 'bytea',
  text: 'text',
  chainText: 'text',
  key: 'text COLLATE "C"',
  byId: withFill,
  byKey: withFill,
  id: ', id',
  registered: 'registered',
  isTrue: (column) => column,
  nowMs: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)',
  foldedTexts: '',
  schemaEnd: countClass,
  textIndex: () => '',
  hasOtherRecipients: `least(length(recipients_json) - CASE cardinality(recipient_ids) WHEN 0 THEN 2
      ELSE 1 + 45 * cardinality(recipient_ids) END, 1) = 1`,
}

/**
 * The layout of a PostgreSQL database; the table `attestry_layout` holds its number. docs/adr/0008 explains it.
 */
export const postgresLayout = composeLayout(ownTables, ownIndexes + portalBody, postgresWords)
