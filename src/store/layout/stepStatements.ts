import type { LayoutWords } from './layoutWords.ts'

/** Hooks, rows of the journal by time, and the attestations that a transaction revoked. */
const hooks = ({ int53, boolean, text, key, byKey, nowMs }: LayoutWords) => `
  ALTER TABLE change ADD COLUMN written_at ${int53} NOT NULL DEFAULT 0;
  UPDATE change SET written_at = ${nowMs};
  CREATE TABLE hook (
    name ${key} PRIMARY KEY,
    paused ${boolean} NOT NULL,
    replay_json ${text},
    state_json ${text}
  )${byKey()};
  CREATE INDEX attestation_by_revoking ON attestation (substr(revoke_transaction, 1, 14))
    WHERE revoke_transaction IS NOT NULL;
`

/** The index of decoded fields; the writer fills it from the stored payloads. */
const fieldIndex = ({ int32, int53, bytes, chainText, byId, byKey, registered }: LayoutWords) => `
  ALTER TABLE index_state ADD COLUMN next_field_id ${int53} NOT NULL DEFAULT 1;
  ALTER TABLE schema ADD COLUMN field_state ${int32} NOT NULL DEFAULT 0;
  -- Empty of all but a few rows where every schema is indexed.
  CREATE INDEX schema_by_field_state ON schema (chain_id, field_state) WHERE ${registered} AND field_state <> 2;
  CREATE TABLE field_build (
    schema_id ${int53} PRIMARY KEY,
    done_timestamp ${int53} NOT NULL,
    done_id ${int53} NOT NULL,
    until_id ${int53} NOT NULL,
    done_count ${int53} NOT NULL
  )${byId()};
  CREATE TABLE field (
    schema_id ${int53} NOT NULL,
    path_key ${bytes} NOT NULL,
    kind ${int32} NOT NULL,
    id ${int53} NOT NULL,
    path ${chainText} NOT NULL,
    value_count ${int53} NOT NULL,
    PRIMARY KEY (schema_id, path_key, kind)
  )${byKey(80)};
  CREATE INDEX field_by_path ON field (path_key);
  CREATE TABLE field_value (
    field_id ${int53} NOT NULL,
    value_key ${bytes} NOT NULL,
    id ${int53} NOT NULL,
    value ${chainText} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (field_id, value_key)
  )${byKey(80)};
  CREATE TABLE field_posting (
    value_id ${int53} NOT NULL,
    attest_timestamp ${int53} NOT NULL,
    id ${int53} NOT NULL,
    PRIMARY KEY (value_id, attest_timestamp, id)
  )${byKey()};
`

/**
 * Anchors with what they anchor. No database holds the values of anchors that were indexed before: each chain is
 * indexed again from its first anchor on.
 */
const anchors = ({ int53, bytes, text, key, chainText, byId, least, ordinal }: LayoutWords) => `
  UPDATE chain SET rewind_to = (
    SELECT ${least}(coalesce(chain.rewind_to, 9007199254740991), ((min(n.id) & 9007199254740991) >> 20) - 1)
    FROM anchor n WHERE n.id BETWEEN ${ordinal} << 53 AND ((${ordinal} + 1) << 53) - 1
  ) WHERE EXISTS (
    SELECT 1 FROM anchor n WHERE n.id BETWEEN ${ordinal} << 53 AND ((${ordinal} + 1) << 53) - 1
  );
  DELETE FROM anchor_count;
  DELETE FROM account_anchor;
  DROP TABLE anchor;
  CREATE TABLE anchor (
    id ${int53} PRIMARY KEY,
    chain_id ${int53} NOT NULL,
    protocol ${text} NOT NULL,
    kind ${key} NOT NULL,
    account ${key},
    value ${chainText} NOT NULL,
    value_key ${bytes} NOT NULL,
    timestamp ${int53} NOT NULL,
    transaction_hash ${text} NOT NULL,
    reason ${chainText} NOT NULL
  )${byId()};
  CREATE INDEX anchor_by_time ON anchor (timestamp, chain_id, id);
  CREATE INDEX anchor_by_kind ON anchor (kind, timestamp, chain_id, id);
  CREATE INDEX anchor_by_account ON anchor (account, timestamp, chain_id, id) WHERE account IS NOT NULL;
  CREATE INDEX anchor_by_value ON anchor (value_key, timestamp, chain_id, id);
`

/** The attestations with other recipients than distinct addresses (`Dialect.hasOtherRecipients`). */
const otherRecipients = ({ id, hasOtherRecipients }: LayoutWords) => `
  CREATE INDEX attestation_other_recipients ON attestation (attest_timestamp, chain_id${id})
    WHERE ${hasOtherRecipients};
`

/**
 * Whether an attestation itself can be revoked. NULL in the rows from before: as the schema says, until
 * `attestry verify --repair` or a new index reads the record again (docs/operating.md).
 */
const ownRevocable = ({ boolean }: LayoutWords) => `ALTER TABLE attestation ADD COLUMN revocable ${boolean}`

/**
 * Payloads of EAS that only lenient decoders read are in the index of fields (protocols/decodeIndexedPayload.ts): the
 * writer drops the index of EAS's schemas, and makes it anew from the stored payloads.
 */
const lenientPayloads = ({ registered }: LayoutWords) => `
  DELETE FROM field_build WHERE schema_id IN (SELECT id FROM schema WHERE protocol = 'eas');
  UPDATE schema SET field_state = 3 WHERE protocol = 'eas' AND ${registered} AND field_state <> 0;
`

/**
 * The portal of an attestation and the context of a schema, both of Verax. Rows from before are of protocols that have
 * neither.
 */
const portals = ({ id, bytes, chainText }: LayoutWords) => `
  ALTER TABLE attestation ADD COLUMN portal ${bytes};
  ALTER TABLE schema ADD COLUMN context ${chainText};
  CREATE INDEX attestation_by_portal ON attestation (portal, chain_id, attest_timestamp${id}) WHERE portal IS NOT NULL;
`

/** The digest of each chain's events; the writer makes those of chains that are indexed already, from their rows. */
const digests = ({ int53, bytes, byKey }: LayoutWords) => `
  ALTER TABLE chain ADD COLUMN digest_block ${int53};
  ALTER TABLE chain ADD COLUMN digest_events ${int53};
  ALTER TABLE chain ADD COLUMN digest ${bytes};
  CREATE TABLE chain_digest (
    chain_id ${int53} NOT NULL,
    block ${int53} NOT NULL,
    events ${int53} NOT NULL,
    digest ${bytes} NOT NULL,
    PRIMARY KEY (chain_id, block)
  )${byKey()};
`

/**
 * What contracts say of subjects beside the records. Rows from before have none: Verax is indexed from its first log.
 */
const metadata = ({ id, int53, text, key, chainText, byId }: LayoutWords) => `
  CREATE TABLE metadata (
    id ${int53} PRIMARY KEY,
    chain_id ${int53} NOT NULL,
    protocol ${text} NOT NULL,
    kind ${text} NOT NULL,
    subject ${key} NOT NULL,
    body ${chainText} NOT NULL
  )${byId()};
  CREATE INDEX metadata_by_subject ON metadata (subject, kind, chain_id, protocol${id});
`

/**
 * A position no longer holds the index that a node gave a log (docs/adr/0025). No row tells which indexed logs of its
 * block came before, where their events are no rows: each chain is indexed again.
 */
const positionsByOrder = () => `
  UPDATE chain SET rewind_to = -1 WHERE checkpoint_block IS NOT NULL;
  UPDATE chain SET digest_block = NULL, digest_events = NULL, digest = NULL;
  DELETE FROM chain_digest;
`

/**
 * The version of the registry and the bytes of the subject of an attestation, both of Verax: chains with Verax are
 * indexed again.
 */
const veraxRecords = ({ int32, bytes }: LayoutWords) => `
  ALTER TABLE attestation ADD COLUMN contract_version ${int32};
  ALTER TABLE attestation ADD COLUMN subject ${bytes};
  UPDATE chain SET rewind_to = -1
    WHERE checkpoint_block IS NOT NULL AND chain_id IN (SELECT chain_id FROM protocol_count WHERE protocol = 'verax');
  UPDATE chain SET digest_block = NULL, digest_events = NULL, digest = NULL;
  DELETE FROM chain_digest;
`

/**
 * The seals of logs that are to be read again, and the defects of chains. Blocks that are remembered from before have no
 * seal.
 */
const sealsAndDefects = ({ text }: LayoutWords) => `
  ALTER TABLE recent_block ADD COLUMN logs_seal ${text};
  ALTER TABLE chain ADD COLUMN defect_json ${text};
`

/**
 * Who may write to each chain (writing/chainClaims.ts): the next claim of a chain writes its row. Schemas of EAS and Sign
 * are read as their SDKs take them, which gives some of them other fields: each chain is indexed again.
 */
const claimsAndSchemas = ({ int53, text, byId }: LayoutWords) => `
  CREATE TABLE chain_claim (
    chain_id ${int53} PRIMARY KEY,
    token ${text} NOT NULL,
    used ${int53} NOT NULL
  )${byId(50)};
  UPDATE chain SET rewind_to = -1 WHERE checkpoint_block IS NOT NULL;
  UPDATE chain SET digest_block = NULL, digest_events = NULL, digest = NULL;
  DELETE FROM chain_digest;
`

/** The steps from the baseline to the layout of this version, in the words of a database. */
export const stepStatements: readonly ((words: LayoutWords) => string)[] = [
  hooks,
  fieldIndex,
  anchors,
  otherRecipients,
  ownRevocable,
  lenientPayloads,
  portals,
  digests,
  /** The keys of records hold their protocol (docs/adr/0021). */
  ({ keysByProtocol }) => keysByProtocol,
  metadata,
  /** What looks up the metadata of a portal (docs/adr/0018). */
  ({ portalBody }) => portalBody,
  positionsByOrder,
  veraxRecords,
  sealsAndDefects,
  claimsAndSchemas,
]
