/** A stored table as it is compared with its shadow, and put in order by it. */
export interface StoredTable {
  readonly name: string
  /** None of these is ever NULL, and together they name a row. */
  readonly key: readonly string[]
  readonly columns: readonly string[]
}

/** Rows that stand for events. What contradicts them is told of their records. */
export const attestationTable: StoredTable = {
  name: 'attestation',
  key: ['id'],
  columns: [
    'chain_id',
    'local_id',
    'schema_id',
    'attester_id',
    'attest_timestamp',
    'transaction_key',
    'recipient_ids',
    'value_keys',
    'protocol',
    'valid_until',
    'exact_valid_until',
    'data_location',
    'linked_local_id',
    'transaction_sender',
    'schema_local_id',
    'attester',
    'recipients_json',
    'transaction_hash',
    'indexing_value_json',
    'data',
    'sync_at',
    'last_sync_at',
    'revoked_id',
    'revoke_timestamp',
    'revoke_reason',
    'revoke_transaction',
  ],
}

/** The columns of an attestation that later events move. */
export const revocationColumns = [
  'last_sync_at',
  'revoked_id',
  'revoke_timestamp',
  'revoke_reason',
  'revoke_transaction',
]

export const schemaTable: StoredTable = {
  name: 'schema',
  key: ['id'],
  columns: [
    'registered',
    'position',
    'register_timestamp',
    'registrant_id',
    'resolver_id',
    'registrant',
    'resolver',
    'protocol',
    'revocable',
    'max_valid_for',
    'data_location',
    'transaction_key',
    'transaction_hash',
    'transaction_sender',
    'sync_at',
    'definition_name',
    'description',
    'fields_json',
    'raw_text',
    'summary_json',
    'name',
    'attestation_count',
    'attester_count',
  ],
}

/** The columns of a schema that follow from other rows. */
export const schemaDerivedColumns = ['name', 'attestation_count', 'attester_count']

/** Rows of other events, and what hangs on attestations. */
export const eventTables: readonly StoredTable[] = [
  { name: 'anchor', key: ['id'], columns: ['protocol', 'kind', 'account'] },
  { name: 'undecodable', key: ['id'], columns: ['body_json'] },
  { name: 'schema_name', key: ['id'], columns: ['schema_local_id', 'name'] },
  {
    name: 'revocation_claim',
    key: ['id'],
    columns: ['chain_id', 'state', 'due', 'timestamp', 'settled_block'],
  },
]

/** What hangs on the records, and what is counted of them. */
export const derivedTables: readonly StoredTable[] = [
  {
    name: 'address',
    key: ['id'],
    columns: ['bytes', 'schemas_created', 'created', 'received_other', 'received_self'],
  },
  { name: 'schema_text', key: ['schema_id'], columns: ['name', 'description'] },
  {
    name: 'received',
    key: ['address_id', 'chain_id', 'schema_id', 'attest_timestamp', 'id', 'is_self'],
    columns: [],
  },
  { name: 'value_posting', key: ['value_key', 'attest_timestamp', 'chain_id', 'id'], columns: ['holder'] },
  { name: 'schema_hour', key: ['hour', 'schema_id'], columns: ['count'] },
  { name: 'schema_attester', key: ['schema_id', 'attester'], columns: ['count'] },
  {
    name: 'protocol_count',
    key: ['chain_id', 'protocol'],
    columns: ['schema_count', 'attestation_count', 'revocation_count'],
  },
  {
    name: 'protocol_day',
    key: ['chain_id', 'protocol', 'day'],
    columns: ['schema_count', 'attestation_count'],
  },
  { name: 'anchor_count', key: ['chain_id', 'kind'], columns: ['count'] },
  { name: 'account_anchor', key: ['account', 'chain_id', 'kind'], columns: ['count'] },
  { name: 'list_count', key: ['kind', 'owner_id', 'scope_id'], columns: ['count'] },
  { name: 'rank_node', key: ['kind', 'owner_id', 'scope_id', 'level', 'prefix'], columns: ['counts'] },
]

/** Counters of a chain: one of them and the records is wrong, and only the chain can tell which. */
export const chainCounters: StoredTable = {
  name: 'chain',
  key: ['chain_id'],
  columns: ['schema_count', 'attestation_count', 'revocation_count', 'undecodable_count'],
}
