/**
 * The catalogue of the tables of an index: names, keys, and columns with their types, each spelled once. Both databases
 * keep these tables, and `baselineStatements` makes most of them from here: columns stand in their order in the
 * database. Indexes, storage parameters, and the tables that a database makes in its own way (the texts of schemas, one
 * table or two of `received`) stand in the migrations and in `storedTables.ts`. A test beside the migrations of each
 * database holds them to the catalogue.
 */

/**
 * The types of columns. In a row, `int32` and `int53` are numbers and `int64` is a `bigint`: integers of 32 bits, up to
 * 2^53 - 1, and up to 2^63 - 1. `text` and `key` are well-formed and without a NUL; a `key` is compared byte by byte,
 * since rows are ordered or looked up by it. `chainText` is text of strangers: any string; each database encodes it by
 * its own `textColumn.ts`.
 */
export type ColumnType =
  | 'int32'
  | 'int53'
  | 'int64'
  | 'boolean'
  | 'bytes'
  | 'text'
  | 'key'
  | 'chainText'
  | 'int53List'

/** A column that may be NULL says so. */
export type ColumnSpec = ColumnType | `${ColumnType} null`

/**
 * The kinds of tables, by the meaning of their rows.
 * `state`: facts that no event carries: progress, versions, the change journal.
 * `dictionary`: entities with a row id of their own, which depends on the order of writing.
 * `event`: one event a row; `id` is its row id (rowId.ts), so that the rows above a block are one range of ids.
 * `derived`: facts that follow from the events.
 * `counter`: derived counts. All columns beside the key are counts, and a row whose counts are all 0 is deleted.
 */
export type TableKind = 'state' | 'dictionary' | 'event' | 'derived' | 'counter'

export interface TableSpec {
  readonly kind: TableKind
  /** The columns that together name a row; none of them is ever NULL. Empty if the table has one row. */
  readonly key: readonly string[]
  readonly columns: Readonly<Record<string, ColumnSpec>>
}

export const tables = {
  index_state: {
    kind: 'state',
    key: [],
    columns: {
      /** Moves with every transaction that may change an answer. */
      version: 'int53',
      attestation_count: 'int53',
      schema_count: 'int53',
      /** Lists with more entries than this have a rank tree. */
      rank_threshold: 'int32',
    },
  },
  chain: {
    kind: 'state',
    key: ['ordinal'],
    columns: {
      ordinal: 'int32',
      chain_id: 'int53',
      name: 'text',
      contracts_json: 'text',
      rewind_to: 'int53 null',
      checkpoint_block: 'int53 null',
      checkpoint_timestamp: 'int53 null',
      schema_count: 'int53',
      attestation_count: 'int53',
      revocation_count: 'int53',
      undecodable_count: 'int53',
      /** The id of the chain's next row of `field` or `field_value`: both take theirs from one sequence. */
      next_field_id: 'int53',
      /** The digest of the events up to a block (chainDigest.ts); all three NULL if it is of no block. */
      digest_block: 'int53 null',
      digest_events: 'int53 null',
      status_json: 'text null',
      /** Records that are missing or wrong and not known to be mended, and the last verification (`ChainFindings`). */
      defect_json: 'text null',
      digest: 'bytes null',
    },
  },
  /** The token of the session that writes to a chain, or in the name of another claim (writing/chainClaims.ts). */
  chain_claim: {
    kind: 'state',
    key: ['chain_id'],
    /** `used`: the transactions in the name of the token. */
    columns: { chain_id: 'int53', token: 'text', used: 'int53' },
  },
  recent_block: {
    kind: 'state',
    key: ['chain_id', 'number'],
    columns: {
      chain_id: 'int53',
      number: 'int53',
      hash: 'text',
      parent_hash: 'text',
      timestamp: 'int53',
      /** NULL if the logs of the block need not be read again. */
      logs_seal: 'text null',
    },
  },
  change: {
    kind: 'state',
    key: ['sequence'],
    columns: {
      sequence: 'int53',
      chain_id: 'int53',
      /** Every record and revocation between the two positions, both included. */
      first_position: 'int53 null',
      last_position: 'int53 null',
      /** When the row was written, in milliseconds. */
      written_at: 'int53',
      /** Changes that no other table has, as a JSON array; all three NULL: too many for a list. */
      body_json: 'text null',
    },
  },
  /** How far each hook has delivered, and what an operator asked of it (hookStore.ts). */
  hook: {
    kind: 'state',
    key: ['name'],
    columns: {
      name: 'key',
      /** Written only by the operator's commands. */
      paused: 'boolean',
      /** An order to begin anew or to try again, until the sender has taken it; also written by the commands. */
      replay_json: 'text null',
      /** Written only by the sender; NULL before its first delivery. */
      state_json: 'text null',
    },
  },
  /** The version of the index that last changed the counts of an hour: readers keep an hour until it moves. */
  hour_version: {
    kind: 'state',
    key: ['hour'],
    columns: { hour: 'int53', version: 'int53' },
  },

  /** Schemas whose fields are being indexed: which of their attestations are (fieldState.ts). */
  field_build: {
    kind: 'state',
    key: ['schema_id'],
    columns: {
      schema_id: 'int53',
      done_timestamp: 'int53',
      done_id: 'int64',
      until_id: 'int64',
      /** How many attestations were looked at. */
      done_count: 'int53',
    },
  },

  address: {
    kind: 'dictionary',
    key: ['id'],
    columns: {
      id: 'int53',
      bytes: 'bytes',
      schemas_created: 'int53',
      created: 'int53',
      /** Received from others, and from oneself: the two are disjoint, and created and received_other are. */
      received_other: 'int53',
      received_self: 'int53',
    },
  },
  schema: {
    kind: 'dictionary',
    key: ['id'],
    columns: {
      id: 'int53',
      chain_id: 'int53',
      local_id: 'key',
      /**
       * False: attestations refer to it, but its registration is not indexed; the columns below the counts are NULL.
       */
      registered: 'boolean',
      attestation_count: 'int53',
      attester_count: 'int53',
      /** Whether the fields of its attestations are indexed (fieldState.ts). */
      field_state: 'int32',
      position: 'int53 null',
      register_timestamp: 'int53 null',
      registrant_id: 'int53 null',
      /** NULL if the schema has no resolver. */
      resolver_id: 'int53 null',
      registrant: 'text null',
      resolver: 'text null',
      /** The protocol of its attestations too. */
      protocol: 'key',
      revocable: 'boolean null',
      max_valid_for: 'text null',
      data_location: 'text null',
      transaction_key: 'int53 null',
      transaction_hash: 'text null',
      transaction_sender: 'text null',
      sync_at: 'int53 null',
      /** The name in the definition; `name` is the one that counts (schemaNames.ts). */
      definition_name: 'chainText null',
      name: 'chainText null',
      description: 'chainText null',
      summary_json: 'text null',
      fields_json: 'text null',
      /** The fields as payloads encode them; NULL if they are those of fields_json. */
      payload_fields_json: 'text null',
      raw_text: 'chainText null',
      /** NULL if the protocol has none. */
      context: 'chainText null',
    },
  },

  /** The leaves of decoded payloads (model/fieldValues.ts): paths of each schema. */
  field: {
    kind: 'dictionary',
    key: ['schema_id', 'path_key', 'kind'],
    columns: {
      schema_id: 'int53',
      path_key: 'bytes',
      /** See fieldKey.ts. */
      kind: 'int32',
      id: 'int53',
      path: 'chainText',
      /** Rows of `field_value`; never 0. */
      value_count: 'int53',
    },
  },
  field_value: {
    kind: 'dictionary',
    key: ['field_id', 'value_key'],
    columns: {
      field_id: 'int53',
      value_key: 'bytes',
      id: 'int53',
      /** As `include=decoded` prints it. */
      value: 'chainText',
      /** Attestations that have it; never 0. */
      count: 'int53',
    },
  },

  attestation: {
    kind: 'event',
    key: ['id'],
    columns: {
      id: 'int64',
      chain_id: 'int53',
      local_id: 'key',
      schema_id: 'int53',
      attester_id: 'int53',
      attest_timestamp: 'int53',
      transaction_key: 'int53',
      /** Ids of the distinct recipient addresses; what a revert needs to find their postings. */
      recipient_ids: 'int53List',
      value_keys: 'bytes null',
      protocol: 'key',
      /** Seconds, 0 for ever, at most 2^63 - 1; if it is more, exact_valid_until has its digits. */
      valid_until: 'int64',
      exact_valid_until: 'text null',
      /** The attestation's own flag; NULL: as its schema says. */
      revocable: 'boolean null',
      /** The address of the portal; NULL if the protocol has none. */
      portal: 'bytes null',
      /** The version of the contract, and the bytes of which recipients_json is made; only Verax has either. */
      contract_version: 'int32 null',
      subject: 'bytes null',
      data_location: 'text',
      linked_local_id: 'key null',
      transaction_sender: 'text null',
      sync_at: 'int53',
      last_sync_at: 'int53 null',
      /** The row id of the revocation's event; NULL when unrevoked or born revoked. */
      revoked_id: 'int64 null',
      /** Decimal digits of a uint64; NULL exactly when unrevoked. */
      revoke_timestamp: 'text null',
      revoke_reason: 'chainText null',
      revoke_transaction: 'text null',
      schema_local_id: 'text',
      /** With its checksum, without 0x. */
      attester: 'text',
      recipients_json: 'text',
      transaction_hash: 'bytes',
      indexing_value_json: 'text',
      data: 'bytes',
    },
  },
  /** Names that attestations give to schemas; the id is that of the attestation. */
  schema_name: {
    kind: 'event',
    key: ['id'],
    columns: { id: 'int64', schema_local_id: 'key', name: 'chainText' },
  },
  /**
   * Claims of reads about revocations whose event had not turned up; the id is that of the attestation. state 0:
   * pending, 1: settled as made, 2: its event came.
   */
  revocation_claim: {
    kind: 'event',
    key: ['id'],
    columns: {
      id: 'int64',
      chain_id: 'int53',
      state: 'int32',
      /** The claimed time, at most 2^53 - 1; the exact one is in timestamp. */
      due: 'int53',
      timestamp: 'text',
      settled_block: 'int53 null',
    },
  },
  anchor: {
    kind: 'event',
    key: ['id'],
    columns: {
      id: 'int64',
      chain_id: 'int53',
      protocol: 'text',
      kind: 'key',
      account: 'key null',
      value: 'chainText',
      value_key: 'bytes',
      timestamp: 'int53',
      transaction_hash: 'text',
      reason: 'chainText',
    },
  },
  /** Metadata that contracts give of subjects beside the records (`MetadataSet`). */
  metadata: {
    kind: 'event',
    key: ['id'],
    columns: {
      id: 'int64',
      chain_id: 'int53',
      protocol: 'key',
      kind: 'text',
      /** Hexadecimal digits. */
      subject: 'key',
      body: 'chainText',
    },
  },
  /** Logs that no rule can read, and revocations that contradict the index; each as members of a JSON object. */
  undecodable: {
    kind: 'event',
    key: ['id'],
    columns: { id: 'int64', body_json: 'text' },
  },

  /** The folded text of registered schemas, in which keywords are looked for. */
  schema_text: {
    kind: 'derived',
    key: ['schema_id'],
    columns: { schema_id: 'int53', name: 'text', description: 'text' },
  },
  /** An attestation in the list of an address that received it. */
  received: {
    kind: 'derived',
    key: ['address_id', 'chain_id', 'schema_id', 'attest_timestamp', 'id', 'is_self'],
    columns: {
      address_id: 'int53',
      chain_id: 'int53',
      schema_id: 'int53',
      attest_timestamp: 'int53',
      id: 'int64',
      is_self: 'boolean',
    },
  },
  value_posting: {
    kind: 'derived',
    key: ['value_key', 'attest_timestamp', 'chain_id', 'id'],
    columns: {
      value_key: 'bytes',
      attest_timestamp: 'int53',
      chain_id: 'int53',
      id: 'int64',
      /** The holder of the value: 1 the indexing value, 2 a recipient, 3 both. */
      holder: 'int32',
    },
  },
  /** An attestation in the list of a value of a field. */
  field_posting: {
    kind: 'derived',
    key: ['value_id', 'attest_timestamp', 'id'],
    columns: { value_id: 'int53', attest_timestamp: 'int53', id: 'int64' },
  },
  /** The digests of chains at older blocks, one for some hundred events (chainDigest.ts). */
  chain_digest: {
    kind: 'state',
    key: ['chain_id', 'block'],
    columns: { chain_id: 'int53', block: 'int53', events: 'int53', digest: 'bytes' },
  },
  /** The nodes of the rank trees of lists. */
  rank_node: {
    kind: 'derived',
    key: ['kind', 'owner_id', 'scope_id', 'level', 'prefix'],
    columns: {
      kind: 'int32',
      owner_id: 'int53',
      scope_id: 'int53',
      level: 'int32',
      prefix: 'int53',
      counts: 'bytes',
    },
  },

  schema_hour: {
    kind: 'counter',
    key: ['hour', 'schema_id'],
    columns: { hour: 'int53', schema_id: 'int53', count: 'int53' },
  },
  /** Attestations of each attester under each schema. */
  schema_attester: {
    kind: 'counter',
    key: ['schema_id', 'attester'],
    columns: { schema_id: 'int53', attester: 'bytes', count: 'int53' },
  },
  protocol_count: {
    kind: 'counter',
    key: ['chain_id', 'protocol'],
    columns: {
      chain_id: 'int53',
      protocol: 'key',
      schema_count: 'int53',
      attestation_count: 'int53',
      revocation_count: 'int53',
    },
  },
  /** By days since the epoch. */
  protocol_day: {
    kind: 'counter',
    key: ['chain_id', 'protocol', 'day'],
    columns: {
      chain_id: 'int53',
      protocol: 'key',
      day: 'int32',
      schema_count: 'int53',
      attestation_count: 'int53',
    },
  },
  anchor_count: {
    kind: 'counter',
    key: ['chain_id', 'kind'],
    columns: { chain_id: 'int53', kind: 'key', count: 'int53' },
  },
  /** Off-chain anchors of each account that is known to have made some. */
  account_anchor: {
    kind: 'counter',
    key: ['account', 'chain_id', 'kind'],
    columns: { account: 'key', chain_id: 'int53', kind: 'key', count: 'int53' },
  },
  /** The parts of a list by chain and by schema, kept while the whole list is over the threshold. */
  list_count: {
    kind: 'counter',
    key: ['kind', 'owner_id', 'scope_id'],
    columns: { kind: 'int32', owner_id: 'int53', scope_id: 'int53', count: 'int53' },
  },
} as const satisfies Readonly<Record<string, TableSpec>>

type Tables = typeof tables

/** The name of a table of the index. */
export type Table = keyof Tables

/** A table that is not part of the index: one of a projection (port/projection.ts). It stands for itself in calls. */
export interface OwnTable extends TableSpec {
  readonly name: string
  /** The percentage to which pages are filled by inserts, of a table whose rows are updated later. */
  readonly fill?: number
  /**
   * Whether the rows stand in the order of the key, which is the default. In SQLite, each index of such a table repeats
   * the key.
   */
  readonly standsByKey?: boolean
}

export type AnyTable = Table | OwnTable

/** The tables of one kind. */
export type TableOf<Kind extends TableKind> =
  | { [T in Table]: Tables[T]['kind'] extends Kind ? T : never }[Table]
  | (OwnTable & { readonly kind: Kind })

type SpecOf<T extends AnyTable> = T extends Table ? Tables[T] : T extends OwnTable ? T : never

export type ColumnOf<T extends AnyTable> = Extract<keyof SpecOf<T>['columns'], string>

type ValueOfType<Type extends ColumnType> = {
  int32: number
  int53: number
  int64: bigint
  boolean: boolean
  bytes: Uint8Array
  text: string
  key: string
  chainText: string
  int53List: readonly number[]
}[Type]

/** The value of a column as a row has it. */
export type ValueOf<Spec> = Spec extends `${infer Type extends ColumnType} null`
  ? ValueOfType<Type> | null
  : Spec extends ColumnType
    ? ValueOfType<Spec>
    : never

/** A row of a table. */
export type RowOf<T extends AnyTable> = {
  readonly [Column in ColumnOf<T>]: ValueOf<SpecOf<T>['columns'][Column & keyof SpecOf<T>['columns']]>
}

/**
 * The columns that name a row.
 * @public
 */
export type KeyOf<T extends AnyTable> = Pick<RowOf<T>, SpecOf<T>['key'][number] & ColumnOf<T>>

/** The columns of a table in the order of the catalogue. */
export function columnsOf<T extends AnyTable>(table: T): readonly ColumnOf<T>[] {
  return Object.keys(specOfTable(table).columns) as ColumnOf<T>[]
}

/** The name of a table in statements. */
export function nameOf(table: AnyTable): string {
  return typeof table === 'string' ? table : table.name
}

/** The specification of a table. */
export function specOfTable(table: AnyTable): TableSpec {
  return typeof table === 'string' ? tables[table] : table
}

/** The type of a column, and whether it may be NULL. */
export function parseColumnSpec(spec: ColumnSpec): {
  readonly type: ColumnType
  readonly isNullable: boolean
} {
  const isNullable = spec.endsWith(' null')
  return { type: (isNullable ? spec.slice(0, -' null'.length) : spec) as ColumnType, isNullable }
}
