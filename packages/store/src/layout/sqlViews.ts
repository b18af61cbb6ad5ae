import { positionsPerBlock } from '@attestry/core/model/position.ts'
import { positionMask } from './rowId.ts'

/**
 * The views by which an index is read in SQL (docs/sql.md). Names, types and units of their columns stay from one
 * layout to the next. They are no part of the layout: each start makes them anew if they differ.
 */
export const viewNames = ['schemas', 'attestations', 'revocations', 'fields', 'chains'] as const
export type ViewName = (typeof viewNames)[number]

/** The words in which the views of the databases differ. */
export interface ViewWords {
  /** Bytes as lower-case hexadecimal digits. */
  hex(bytes: string): string
  /** The time of Unix seconds; NULL if they are NULL or beyond the year 9999. */
  time(seconds: string): string
  /** The same of a text of decimal digits. */
  timeOfDigits(digits: string): string
  /** JSON as a column. */
  json(text: string): string
  /** A JSON list of texts as a column, the addresses among them in lower case. */
  addressList(text: string): string
  /** The text of a JSON string. */
  textOfJson(text: string): string
  /** A text from a chain, in another form if SQL cannot hold the text. */
  chainText(text: string): string
  /** A member of a JSON object. */
  member(json: string, name: string, type: 'bigint' | 'text'): string
  /** A condition, or a boolean column of the layout, as a column. */
  flag(condition: string): string
}

/** The select of each view of the index. */
export function viewSelects(words: ViewWords): Readonly<Record<ViewName, string>> {
  const { hex, time, timeOfDigits, json, chainText, member, flag } = words
  return {
    schemas: select(
      {
        key: 's.id',
        id: compositeId('s.chain_id', 's.local_id'),
        chain_id: 's.chain_id',
        protocol: 's.protocol',
        schema_id: `'0x' || s.local_id`,
        name: chainText('s.name'),
        description: chainText('s.description'),
        fields: json('s.fields_json'),
        raw: chainText('s.raw_text'),
        registrant: 's.registrant',
        registered_at: time('s.register_timestamp'),
        resolver: 's.resolver',
        revocable: flag('s.revocable'),
        data_location: 's.data_location',
        attestation_count: 's.attestation_count',
        attester_count: 's.attester_count',
        block: blockOf('s.position'),
        transaction_hash: 's.transaction_hash',
        transaction_sender: 's.transaction_sender',
      },
      `schema s WHERE ${flag('s.registered')}`,
    ),
    attestations: select(attestationColumns(words), 'attestation a LEFT JOIN schema s ON s.id = a.schema_id'),
    revocations: select(
      {
        attestation_key: 'a.id',
        attestation_id: compositeId('a.chain_id', 'a.local_id'),
        chain_id: 'a.chain_id',
        protocol: 'a.protocol',
        schema_key: 'a.schema_id',
        schema_id: compositeId('a.chain_id', 'a.schema_local_id'),
        attester: `'0x' || lower(a.attester)`,
        revoked_at: timeOfDigits('a.revoke_timestamp'),
        reason: chainText('a.revoke_reason'),
        block: blockOf('a.revoked_id'),
        transaction_hash: 'a.revoke_transaction',
      },
      'attestation a WHERE a.revoke_timestamp IS NOT NULL',
    ),
    fields: select(
      {
        attestation_key: 'p.id',
        attestation_id: compositeId('a.chain_id', 'a.local_id'),
        chain_id: 'a.chain_id',
        protocol: 'a.protocol',
        schema_key: 'f.schema_id',
        schema_id: compositeId('a.chain_id', 'a.schema_local_id'),
        path: chainText('f.path'),
        kind: `CASE f.kind WHEN 0 THEN 'integer' WHEN 1 THEN 'boolean' WHEN 2 THEN 'text' ELSE 'bytes' END`,
        // An address is bytes, with its checksum.
        value: `CASE f.kind WHEN 3 THEN lower(${chainText('v.value')}) ELSE ${chainText('v.value')} END`,
      },
      'field f JOIN field_value v ON v.field_id = f.id JOIN field_posting p ON p.value_id = v.id ' +
        'JOIN attestation a ON a.id = p.id',
    ),
    chains: select(
      {
        chain_id: 'c.chain_id',
        name: 'c.name',
        phase: member('c.status_json', 'phase', 'text'),
        head_block: member('c.status_json', 'headBlock', 'bigint'),
        indexed_block: 'c.checkpoint_block',
        indexed_at: time('c.checkpoint_timestamp'),
        schema_count: 'c.schema_count',
        attestation_count: 'c.attestation_count',
        revocation_count: 'c.revocation_count',
        undecodable_count: 'c.undecodable_count',
        digest: `'0x' || ${hex('c.digest')}`,
        digest_block: 'c.digest_block',
      },
      'chain c',
    ),
  }
}

/** The columns of the view of attestations, over `attestation a LEFT JOIN schema s`. */
export function attestationColumns({
  hex,
  time,
  timeOfDigits,
  addressList,
  textOfJson,
  chainText,
  flag,
}: ViewWords) {
  return {
    key: 'a.id',
    id: compositeId('a.chain_id', 'a.local_id'),
    chain_id: 'a.chain_id',
    protocol: 'a.protocol',
    attestation_id: `'0x' || a.local_id`,
    schema_key: 'a.schema_id',
    schema_id: compositeId('a.chain_id', 'a.schema_local_id'),
    attester: `'0x' || lower(a.attester)`,
    recipients: addressList('a.recipients_json'),
    attested_at: time('a.attest_timestamp'),
    valid_until: time('nullif(a.valid_until, 0)'),
    revocable: flag('coalesce(a.revocable, s.revocable)'),
    revoked: flag('a.revoke_timestamp IS NOT NULL'),
    revoked_at: timeOfDigits('a.revoke_timestamp'),
    revoke_reason: chainText('a.revoke_reason'),
    linked_attestation: compositeId('a.chain_id', 'a.linked_local_id'),
    portal: `'0x' || ${hex('a.portal')}`,
    indexing_value: textOfJson('a.indexing_value_json'),
    data_location: 'a.data_location',
    data: `'0x' || ${hex('a.data')}`,
    block: blockOf('a.id'),
    transaction_hash: `'0x' || ${hex('a.transaction_hash')}`,
    transaction_sender: 'a.transaction_sender',
  } as const
}

/** A select of expressions by the names of their columns. */
export function select(columns: Readonly<Record<string, string>>, from: string): string {
  const parts = Object.entries(columns).map(([name, expression]) => `${expression} AS ${name}`)
  return `SELECT ${parts.join(', ')} FROM ${from}`
}

/** The id of the API of a record. */
export const compositeId = (chainId: string, localId: string) =>
  `'onchain_evm_' || ${chainId} || '_0x' || ${localId}`

/** The block of a position, or of the row id of an event. */
export const blockOf = (position: string) => `(${position} & ${positionMask}) / ${positionsPerBlock}`

/** The last second that every tool can show, the end of the year 9999. */
export const timeSecondsMax = 253_402_300_799
