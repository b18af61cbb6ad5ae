import type { LayoutWords } from './layoutWords.ts'

/**
 * The statements that make the tables which differ between the databases in their words alone, and their indexes.
 */
export const baselineStatements = ({
  id,
  int32,
  int53,
  boolean,
  bytes,
  text,
  key,
  chainText,
  byId,
  byKey,
  registered,
  hasFile,
  nowMs,
  foldedTexts,
  schemaEnd,
  hasOtherRecipients,
}: LayoutWords) => `
  CREATE TABLE chain (
    ordinal ${int32} PRIMARY KEY,
    chain_id ${int53} NOT NULL UNIQUE,
    name ${text} NOT NULL,
    contracts_json ${text} NOT NULL,
    rewind_to ${int53},
    checkpoint_block ${int53},
    checkpoint_timestamp ${int53},
    schema_count ${int53} NOT NULL DEFAULT 0,
    attestation_count ${int53} NOT NULL DEFAULT 0,
    revocation_count ${int53} NOT NULL DEFAULT 0,
    undecodable_count ${int53} NOT NULL DEFAULT 0,
    next_field_id ${int53} NOT NULL,
    digest_block ${int53},
    digest_events ${int53},
    status_json ${text},
    defect_json ${text},
    digest ${bytes}
  )${byId(50)};

  CREATE TABLE chain_claim (
    chain_id ${int53} PRIMARY KEY,
    token ${text} NOT NULL,
    used ${int53} NOT NULL
  )${byId(50)};

  CREATE TABLE chain_digest (
    chain_id ${int53} NOT NULL,
    block ${int53} NOT NULL,
    events ${int53} NOT NULL,
    digest ${bytes} NOT NULL,
    PRIMARY KEY (chain_id, block)
  )${byKey()};

  CREATE TABLE recent_block (
    chain_id ${int53} NOT NULL,
    number ${int53} NOT NULL,
    hash ${text} NOT NULL,
    parent_hash ${text} NOT NULL,
    timestamp ${int53} NOT NULL,
    logs_seal ${text},
    PRIMARY KEY (chain_id, number)
  )${byKey()};

  CREATE TABLE schema (
    id ${int53} PRIMARY KEY,
    chain_id ${int53} NOT NULL,
    local_id ${key} NOT NULL,
    registered ${boolean} NOT NULL,
    attestation_count ${int53} NOT NULL,
    attester_count ${int53} NOT NULL,
    field_state ${int32} NOT NULL DEFAULT 0,
    position ${int53},
    register_timestamp ${int53},
    registrant_id ${int53},
    resolver_id ${int53},
    registrant ${text},
    resolver ${text},
    protocol ${key} NOT NULL,
    revocable ${boolean},
    max_valid_for ${text},
    data_location ${text},
    transaction_key ${int53},
    transaction_hash ${text},
    transaction_sender ${text},
    sync_at ${int53},
    definition_name ${chainText},
    name ${chainText},
    description ${chainText},${foldedTexts}
    summary_json ${text},
    fields_json ${text},
    payload_fields_json ${text},
    raw_text ${chainText},
    context ${chainText},
    ${schemaEnd}
  )${byId(80)};
  CREATE INDEX schema_by_time ON schema (register_timestamp, chain_id, position) WHERE ${registered};
  CREATE INDEX schema_by_registrant ON schema (registrant_id, register_timestamp, chain_id, position) WHERE ${registered};
  CREATE INDEX schema_by_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id IS NOT NULL;
  CREATE INDEX schema_by_chain ON schema (chain_id, register_timestamp, position) WHERE ${registered};
  CREATE INDEX schema_by_transaction ON schema (transaction_key) WHERE ${registered};
  CREATE INDEX schema_by_class ON schema (count_class DESC, register_timestamp, chain_id, position) WHERE ${registered};
  -- The schemas of an address are those that it registered, and these.
  CREATE INDEX schema_by_other_resolver ON schema (resolver_id, register_timestamp, chain_id, position)
    WHERE resolver_id <> registrant_id;
  CREATE UNIQUE INDEX schema_by_position ON schema (chain_id, position) WHERE ${registered};
  -- Empty of all but a few rows where every schema is indexed.
  CREATE INDEX schema_by_field_state ON schema (chain_id, field_state) WHERE ${registered} AND field_state <> 2;

  CREATE INDEX attestation_by_time ON attestation (attest_timestamp, chain_id${id});
  CREATE INDEX attestation_by_chain ON attestation (chain_id, attest_timestamp${id});
  CREATE INDEX attestation_by_schema ON attestation (schema_id, attest_timestamp${id});
  CREATE INDEX attestation_by_attester ON attestation (attester_id, chain_id, attest_timestamp${id});
  CREATE INDEX attestation_by_attester_schema ON attestation (attester_id, schema_id, attest_timestamp${id});
  CREATE INDEX attestation_by_transaction ON attestation (transaction_key);
  CREATE INDEX attestation_by_revocation ON attestation (revoked_id) WHERE revoked_id IS NOT NULL;
  CREATE INDEX attestation_revoked ON attestation (attest_timestamp, chain_id${id}) WHERE revoke_timestamp IS NOT NULL;
  CREATE INDEX attestation_by_linked ON attestation (chain_id, linked_local_id, protocol, attest_timestamp${id})
    WHERE linked_local_id IS NOT NULL;
  -- A prefix of one or two digits is looked up by this index, in the order of listings.
  CREATE INDEX attestation_by_id_group ON attestation (substr(local_id, 1, 2), attest_timestamp, chain_id${id});
  CREATE INDEX attestation_by_revoking ON attestation (substr(revoke_transaction, 1, 14))
    WHERE revoke_transaction IS NOT NULL;
  -- The attestations with other recipients than distinct addresses (Dialect.hasOtherRecipients).
  CREATE INDEX attestation_other_recipients ON attestation (attest_timestamp, chain_id${id})
    WHERE ${hasOtherRecipients};
  CREATE INDEX attestation_by_portal ON attestation (portal, chain_id, attest_timestamp${id}) WHERE portal IS NOT NULL;

  CREATE TABLE value_posting (
    value_key ${bytes} NOT NULL,
    attest_timestamp ${int53} NOT NULL,
    chain_id ${int53} NOT NULL,
    id ${int53} NOT NULL,
    holder ${int32} NOT NULL,
    PRIMARY KEY (value_key, attest_timestamp, chain_id, id)
  )${byKey()};

  CREATE TABLE revocation_claim (
    id ${int53} PRIMARY KEY,
    chain_id ${int53} NOT NULL,
    state ${int32} NOT NULL,
    due ${int53} NOT NULL,
    timestamp ${text} NOT NULL,
    settled_block ${int53}
  )${byId()};
  CREATE INDEX revocation_claim_by_state ON revocation_claim (chain_id, state, due);

  CREATE TABLE schema_name (
    id ${int53} PRIMARY KEY,
    schema_local_id ${key} NOT NULL,
    name ${chainText} NOT NULL
  )${byId()};
  CREATE INDEX schema_name_by_schema ON schema_name (schema_local_id${id});

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
  CREATE TABLE anchor_count (
    chain_id ${int53} NOT NULL,
    kind ${key} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (chain_id, kind)
  )${byKey()};
  CREATE TABLE account_anchor (
    account ${key} NOT NULL,
    chain_id ${int53} NOT NULL,
    kind ${key} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (account, chain_id, kind)
  )${byKey()};

  CREATE TABLE metadata (
    id ${int53} PRIMARY KEY,
    chain_id ${int53} NOT NULL,
    protocol ${key} NOT NULL,
    kind ${text} NOT NULL,
    subject ${key} NOT NULL,
    body ${chainText} NOT NULL
  )${byId()};
  CREATE INDEX metadata_by_subject ON metadata (subject, kind, chain_id, protocol${id});

  CREATE TABLE agent_note (
    id ${int53} PRIMARY KEY,
    chain_id ${int53} NOT NULL,
    kind ${key} NOT NULL,
    agent ${key} NOT NULL,
    target ${key} NOT NULL
  )${byId()};
  CREATE INDEX agent_note_by_agent ON agent_note (agent, kind, chain_id${id});
  CREATE INDEX agent_note_by_target ON agent_note (target, kind, chain_id${id});
  CREATE INDEX agent_note_by_kind ON agent_note (kind, chain_id${id});

  CREATE TABLE agent (
    chain_id ${int53} NOT NULL,
    subject ${key} NOT NULL,
    id ${int53},
    registered_timestamp ${int53},
    updated_timestamp ${int53},
    feedback_timestamp ${int53} NOT NULL,
    version_count ${int53} NOT NULL,
    feedback_count ${int53} NOT NULL,
    revoked_count ${int53} NOT NULL,
    reviewer_count ${int53} NOT NULL,
    response_count ${int53} NOT NULL,
    activity ${int32} NOT NULL,
    registered_transaction ${text},
    owner ${bytes},
    wallet ${bytes},
    uri_id ${int53},
    uri_timestamp ${int53},
    uri_transaction ${text},
    has_file ${boolean} NOT NULL,
    uri ${chainText},
    profile_json ${text},
    folded ${chainText},
    PRIMARY KEY (chain_id, subject)
  )${byId(80)};
  CREATE UNIQUE INDEX agent_by_id ON agent (id) WHERE id IS NOT NULL;
  CREATE INDEX agent_by_time ON agent (registered_timestamp, chain_id, id) WHERE id IS NOT NULL;
  CREATE INDEX agent_by_chain ON agent (chain_id, registered_timestamp, id) WHERE id IS NOT NULL;
  CREATE INDEX agent_by_owner ON agent (owner, registered_timestamp, chain_id, id) WHERE id IS NOT NULL;
  CREATE INDEX agent_by_activity ON agent (activity, registered_timestamp, chain_id, id) WHERE id IS NOT NULL;
  CREATE INDEX agent_with_feedback ON agent (registered_timestamp, chain_id, id)
    WHERE id IS NOT NULL AND feedback_count > 0;
  CREATE INDEX agent_with_file ON agent (registered_timestamp, chain_id, id) WHERE ${hasFile};
  CREATE INDEX agent_by_update ON agent (updated_timestamp, chain_id, id) WHERE id IS NOT NULL;
  CREATE INDEX agent_file_by_update ON agent (updated_timestamp, chain_id, id) WHERE ${hasFile};
  CREATE INDEX agent_with_name ON agent (registered_timestamp, chain_id, id) WHERE folded IS NOT NULL;

  CREATE TABLE agent_metadata (
    chain_id ${int53} NOT NULL,
    subject ${key} NOT NULL,
    key_hash ${bytes} NOT NULL,
    id ${int53} NOT NULL,
    updated_timestamp ${int53} NOT NULL,
    name ${chainText} NOT NULL,
    value ${bytes} NOT NULL,
    PRIMARY KEY (chain_id, subject, key_hash)
  )${byKey(80)};
  CREATE INDEX agent_metadata_by_id ON agent_metadata (chain_id, id);
  CREATE INDEX agent_metadata_by_key ON agent_metadata (key_hash, chain_id, id);

  CREATE TABLE agent_reviewer (
    chain_id ${int53} NOT NULL,
    subject ${key} NOT NULL,
    client ${bytes} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (chain_id, subject, client)
  )${byKey(80)};
  CREATE TABLE agent_count (
    chain_id ${int53} NOT NULL,
    activity ${int32} NOT NULL,
    has_feedback ${boolean} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (chain_id, activity, has_feedback)
  )${byKey(50)};
  CREATE TABLE agent_note_count (
    chain_id ${int53} NOT NULL,
    kind ${key} NOT NULL,
    target ${key} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (chain_id, kind, target)
  )${byKey(80)};

  CREATE TABLE undecodable (id ${int53} PRIMARY KEY, body_json ${text} NOT NULL)${byId()};

  CREATE TABLE schema_hour (
    hour ${int53} NOT NULL,
    schema_id ${int53} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (hour, schema_id)
  )${byKey()};
  CREATE TABLE hour_version (hour ${int53} PRIMARY KEY, version ${int53} NOT NULL)${byId()};

  -- Attesters who made one attestation alone are left out of the index by count: they come last there, in the order
  -- of the primary key.
  CREATE TABLE schema_attester (
    schema_id ${int53} NOT NULL,
    attester ${bytes} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (schema_id, attester)
  )${byKey(80)};
  CREATE INDEX schema_attester_by_count ON schema_attester (schema_id, count DESC, attester) WHERE count > 1;

  CREATE TABLE protocol_count (
    chain_id ${int53} NOT NULL,
    protocol ${key} NOT NULL,
    schema_count ${int53} NOT NULL,
    attestation_count ${int53} NOT NULL,
    revocation_count ${int53} NOT NULL,
    PRIMARY KEY (chain_id, protocol)
  )${byKey()};

  CREATE TABLE protocol_day (
    chain_id ${int53} NOT NULL,
    protocol ${key} NOT NULL,
    day ${int32} NOT NULL,
    schema_count ${int53} NOT NULL,
    attestation_count ${int53} NOT NULL,
    PRIMARY KEY (chain_id, protocol, day)
  )${byKey()};

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

  CREATE TABLE list_count (
    kind ${int32} NOT NULL,
    owner_id ${int53} NOT NULL,
    scope_id ${int53} NOT NULL,
    count ${int53} NOT NULL,
    PRIMARY KEY (kind, owner_id, scope_id)
  )${byKey(80)};
  CREATE TABLE rank_node (
    kind ${int32} NOT NULL,
    owner_id ${int53} NOT NULL,
    scope_id ${int53} NOT NULL,
    level ${int32} NOT NULL,
    prefix ${int53} NOT NULL,
    counts ${bytes} NOT NULL,
    PRIMARY KEY (kind, owner_id, scope_id, level, prefix)
  )${byKey(50)};

  CREATE TABLE change (
    sequence ${int53} PRIMARY KEY,
    chain_id ${int53} NOT NULL,
    first_position ${int53},
    last_position ${int53},
    written_at ${int53} NOT NULL DEFAULT 0,
    body_json ${text}
  )${byId()};
  INSERT INTO change (sequence, chain_id, written_at, body_json)
    VALUES (${nowMs}, 0, ${nowMs}, '[]');

  CREATE TABLE hook (
    name ${key} PRIMARY KEY,
    paused ${boolean} NOT NULL,
    replay_json ${text},
    state_json ${text}
  )${byKey()};
`
