import { setImmediate as nextTurn } from 'node:timers/promises'
import { positionBlock, positionLogIndex, type Position } from '../../model/position.ts'
import type { IndexedContract } from '../indexWriter.ts'
import type { Connection, SqlRow, SqlValue } from './connection.ts'
import { addressOfBytes } from './hexColumn.ts'
import { positionMask } from './rowId.ts'
import { decodeText } from './textColumn.ts'

/** Lines given out between two turns of the event loop. */
const linesPerTurn = 500

/**
 * The index as lines of NDJSON, in an order that depends on nothing but its content: a header, then chains, schemas,
 * schemas that are merely referred to, names, attestations, anchors, undecodable logs, addresses. Of `connection` the
 * caller has no other use meanwhile: one transaction stays open to the end.
 */
export async function* exportLines(connection: Connection, times: boolean): AsyncGenerator<string> {
  connection.exec('BEGIN')
  let count = 0
  for (const line of linesOf(connection, times)) {
    yield line
    count += 1
    if (count % linesPerTurn === 0) await nextTurn()
  }
}

function* linesOf(connection: Connection, times: boolean): Generator<string> {
  yield headerLine(connection)
  const chains = connection
    .statement<[number, number]>('SELECT chain_id, ordinal FROM chain ORDER BY chain_id')
    .all()
  for (const [chainId] of chains) yield chainLine(connection, chainId)
  yield* schemaLines(connection, times)
  yield* referenceLines(connection)
  for (const [chainId, ordinal] of chains) yield* nameLines(connection, chainId, ordinal)
  for (const [, ordinal] of chains) yield* attestationLines(connection, ordinal, times)
  for (const [chainId, ordinal] of chains) yield* anchorLines(connection, chainId, ordinal)
  for (const [chainId, ordinal] of chains) yield* undecodableLines(connection, chainId, ordinal)
  yield* addressLines(connection)
}

function headerLine(connection: Connection): string {
  const chains = connection
    .statement<[number, number | null]>('SELECT chain_id, checkpoint_block FROM chain ORDER BY chain_id')
    .all()
    .map(([chainId, checkpointBlock]) => ({ chainId: String(chainId), checkpointBlock }))
  return JSON.stringify({ format: 'attestry-index', version: 1, chains })
}

function chainLine(connection: Connection, chainId: number): string {
  const row = connection
    .statement<[string, string, number, number, number, number]>(
      'SELECT name, contracts_json, schema_count, attestation_count, revocation_count, undecodable_count ' +
        'FROM chain WHERE chain_id = ?',
    )
    .get(chainId)
  if (row === undefined) throw new Error(`chain ${chainId} is missing from its own snapshot`)
  const anchors = connection
    .statement<[string, number]>('SELECT kind, count FROM anchor_count WHERE chain_id = ? ORDER BY kind')
    .all(chainId)
  return JSON.stringify({
    type: 'chain',
    chainId: String(chainId),
    name: row[0],
    contracts: JSON.parse(row[1]) as IndexedContract[],
    schemaCount: row[2],
    attestationCount: row[3],
    revocationCount: row[4],
    undecodableCount: row[5],
    anchorCounts: Object.fromEntries(anchors),
  })
}

function* schemaLines(connection: Connection, times: boolean): Generator<string> {
  const rows = connection
    .statement<
      [
        position: number,
        summaryJson: string,
        fieldsJson: string,
        protocol: string,
        registerTimestamp: number,
        revocable: number,
        maxValidFor: string,
        resolver: string,
        dataLocation: string,
        definitionName: SqlValue,
        rawText: SqlValue,
        transactionSender: string | null,
        attestationCount: number,
        attesterCount: number,
        syncAt: number,
      ]
    >(
      'SELECT position, summary_json, fields_json, protocol, register_timestamp, revocable, max_valid_for, resolver, ' +
        'data_location, definition_name, raw_text, transaction_sender, attestation_count, attester_count, sync_at ' +
        'FROM schema WHERE registered = 1 ORDER BY chain_id, position',
    )
    .iterate()
  for (const row of rows) {
    const rest = {
      ...place(row[0]),
      protocol: row[3],
      registerTimestamp: row[4],
      revocable: row[5] === 1,
      maxValidFor: row[6],
      resolver: row[7],
      dataLocation: row[8],
      definitionName: decodeText(row[9]),
      rawText: decodeText(row[10]),
      transactionSender: row[11],
      attestationCount: row[12],
      attesterCount: row[13],
      ...(times ? { syncAt: row[14] } : {}),
    }
    yield `{"type":"schema",${row[1]},"data":${row[2]},${members(rest)}}`
  }
}

function* referenceLines(connection: Connection): Generator<string> {
  const rows = connection
    .statement<[number, string, number, number]>(
      'SELECT chain_id, local_id, attestation_count, attester_count FROM schema WHERE registered = 0 ' +
        'ORDER BY chain_id, local_id',
    )
    .iterate()
  for (const [chainId, localId, attestationCount, attesterCount] of rows) {
    yield JSON.stringify({
      type: 'unregisteredSchema',
      chainId: String(chainId),
      schemaId: `0x${localId}`,
      attestationCount,
      attesterCount,
    })
  }
}

function* nameLines(connection: Connection, chainId: number, ordinal: number): Generator<string> {
  const rows = rowsOfChain<[number, string, SqlValue]>(
    connection,
    'schema_name',
    'schema_local_id, name',
    ordinal,
  )
  for (const [position, localId, name] of rows) {
    yield JSON.stringify({
      type: 'schemaName',
      chainId: String(chainId),
      ...place(position),
      schemaId: `0x${localId}`,
      name: decodeText(name),
    })
  }
}

function* attestationLines(connection: Connection, ordinal: number, times: boolean): Generator<string> {
  const rows = rowsOfChain<
    [
      position: number,
      summaryJson: string,
      detailJson: string,
      protocol: string,
      transactionSender: string | null,
      revokedPosition: number | null,
      revokeTimestamp: string | null,
      revokeReason: SqlValue,
      revokeTransaction: string | null,
      syncAt: number,
      lastSyncAt: number | null,
    ]
  >(
    connection,
    'attestation',
    `summary_json, detail_json, protocol, transaction_sender, revoked_id & ${positionMask}, revoke_timestamp, ` +
      'revoke_reason, revoke_transaction, sync_at, last_sync_at',
    ordinal,
  )
  for (const row of rows) {
    const revoked = row[6] !== null
    const rest = {
      ...place(row[0]),
      protocol: row[3],
      transactionSender: row[4],
      revoked,
      revokeTimestamp: row[6],
      revokeReason: revoked ? decodeText(row[7]) : null,
      revokeTransactionHash: row[8] ?? '',
      // null too where it was born revoked: then no event says so.
      revokedBy: row[5] === null ? null : place(row[5]),
      ...(times ? { syncAt: row[9], lastSyncAt: row[10] } : {}),
    }
    yield `{"type":"attestation",${row[1]},${row[2]},${members(rest)}}`
  }
}

function* anchorLines(connection: Connection, chainId: number, ordinal: number): Generator<string> {
  const rows = rowsOfChain<[number, string, string, string | null]>(
    connection,
    'anchor',
    'protocol, kind, account',
    ordinal,
  )
  for (const [position, protocol, anchor, account] of rows) {
    yield JSON.stringify({
      type: 'anchor',
      chainId: String(chainId),
      ...place(position),
      protocol,
      anchor,
      account,
    })
  }
}

function* undecodableLines(connection: Connection, chainId: number, ordinal: number): Generator<string> {
  for (const [position, body] of rowsOfChain<[number, string]>(
    connection,
    'undecodable',
    'body_json',
    ordinal,
  )) {
    yield `{"type":"undecodable","chainId":"${chainId}",${members(place(position))},${body}}`
  }
}

function* addressLines(connection: Connection): Generator<string> {
  const rows = connection
    .statement<[Uint8Array, number, number, number, number]>(
      'SELECT bytes, schemas_created, created, received_other + received_self, created + received_other FROM address ' +
        'WHERE schemas_created + created + received_other + received_self > 0 ORDER BY bytes',
    )
    .iterate()
  for (const [bytes, schemaCreated, attestationCreated, attestationReceived, totalAttestations] of rows) {
    yield JSON.stringify({
      type: 'address',
      address: addressOfBytes(bytes),
      schemaCreated,
      attestationCreated,
      attestationReceived,
      totalAttestations,
    })
  }
}

/** The rows of a table whose ids are row ids, of one chain, in the order of the chain; the position comes first. */
function rowsOfChain<Row extends SqlRow>(
  connection: Connection,
  table: 'attestation' | 'anchor' | 'undecodable' | 'schema_name',
  columns: string,
  ordinal: number,
): Iterable<Row> {
  return connection
    .statement<Row>(
      `SELECT id & ${positionMask}, ${columns} FROM ${table} WHERE id BETWEEN (?1 << 53) AND (?1 << 53) + ${positionMask} ORDER BY id`,
    )
    .iterate(ordinal)
}

function place(position: number): { readonly blockNumber: number; readonly logIndex: number } {
  return {
    blockNumber: positionBlock(position as Position),
    logIndex: positionLogIndex(position as Position),
  }
}

function members(object: Record<string, unknown>): string {
  return JSON.stringify(object).slice(1, -1)
}
