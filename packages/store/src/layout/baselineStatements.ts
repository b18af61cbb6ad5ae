import type { LayoutWords } from './layoutWords.ts'
import { parseColumnSpec, tables, type ColumnSpec, type OwnTable, type Table } from './tables.ts'

/** The tables that each database makes in its own way. */
const ownTables: ReadonlySet<string> = new Set<Table>([
  'index_state',
  'address',
  'schema_text',
  'attestation',
  'received',
])

/** The percentage to which pages are filled by inserts, of tables whose rows are updated later. */
const fills: Readonly<Partial<Record<Table, number>>> = {
  chain: 50,
  chain_claim: 50,
  schema: 80,
  schema_attester: 80,
  field: 80,
  field_value: 80,
  list_count: 80,
  rank_node: 50,
}

/** The definitions of columns end with these words. */
const endings = ({ foldedTexts, schemaEnd }: LayoutWords): Readonly<Record<string, string>> => ({
  'chain.chain_id': ' UNIQUE',
  'chain.schema_count': ' DEFAULT 0',
  'chain.attestation_count': ' DEFAULT 0',
  'chain.revocation_count': ' DEFAULT 0',
  'chain.undecodable_count': ' DEFAULT 0',
  'schema.field_state': ' DEFAULT 0',
  'schema.description': foldedTexts,
  'schema.context': schemaEnd,
  'change.written_at': ' DEFAULT 0',
})

/**
 * The statements that make the tables of the catalogue which differ between the databases only in their words, and all
 * indexes of these. A column or a table that a later step adds has to be left out here.
 */
export function baselineStatements(words: LayoutWords): string {
  const made = Object.entries(tables).filter(([table]) => !ownTables.has(table))
  const ended = endings(words)
  return (
    made
      .map(([name, spec]) => {
        const fill = fills[name as Table]
        return createTable(
          'CREATE TABLE',
          { name, ...spec, ...(fill === undefined ? {} : { fill }) },
          words,
          ended,
        )
      })
      .join('') + indexStatements(words)
  )
}

/** The statement that makes a table. */
export function createTable(
  verb: 'CREATE TABLE' | 'CREATE TABLE IF NOT EXISTS',
  { name, key, columns, fill, standsByKey = true }: OwnTable,
  words: LayoutWords,
  ended: Readonly<Record<string, string>> = {},
): string {
  const [first = '', ...others] = key
  const isAlone = others.length === 0
  const isOneInteger = isAlone && columns[first]?.startsWith('int') === true
  const lines = Object.entries(columns).map(([column, spec]: [string, ColumnSpec]) => {
    const { type, isNullable } = parseColumnSpec(spec)
    const constraint = isAlone && column === first ? ' PRIMARY KEY' : isNullable ? '' : ' NOT NULL'
    return `${column} ${typeIn(words, type)}${constraint}${ended[`${name}.${column}`] ?? ''}`
  })
  if (!isAlone) lines.push(`PRIMARY KEY (${key.join(', ')})`)
  const end = isOneInteger || !standsByKey ? words.byId(fill) : words.byKey(fill)
  return `${verb} ${name} (\n  ${lines.join(',\n  ')}\n)${end};\n`
}

function typeIn(words: LayoutWords, type: ReturnType<typeof parseColumnSpec>['type']): string {
  if (type === 'int53List') throw new TypeError('lists stand only in tables of a database’s own')
  return words[type === 'int64' ? 'int53' : type]
}

const indexStatements = ({ id, registered, nowMs, hasOtherRecipients }: LayoutWords) => `
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

  CREATE INDEX revocation_claim_by_state ON revocation_claim (chain_id, state, due);

  CREATE INDEX schema_name_by_schema ON schema_name (schema_local_id${id});

  CREATE INDEX anchor_by_time ON anchor (timestamp, chain_id, id);
  CREATE INDEX anchor_by_kind ON anchor (kind, timestamp, chain_id, id);
  CREATE INDEX anchor_by_account ON anchor (account, timestamp, chain_id, id) WHERE account IS NOT NULL;
  CREATE INDEX anchor_by_value ON anchor (value_key, timestamp, chain_id, id);

  CREATE INDEX metadata_by_subject ON metadata (subject, kind, chain_id, protocol${id});

  -- Attesters who made one attestation alone are left out of the index by count: they come last there, in the order
  -- of the primary key.
  CREATE INDEX schema_attester_by_count ON schema_attester (schema_id, count DESC, attester) WHERE count > 1;

  CREATE INDEX field_by_path ON field (path_key);

  INSERT INTO change (sequence, chain_id, written_at, body_json)
    VALUES (${nowMs}, 0, ${nowMs}, '[]');

`
