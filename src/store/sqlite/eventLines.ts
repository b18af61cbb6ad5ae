import { positionBlock, positionLogIndex, type Position } from '../../model/position.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Connection, SqlRow, SqlValue } from './connection.ts'
import { decodeText } from './textColumn.ts'

/** The part of a chain whose events are read: its positions from `first` to `last`, both included. */
export interface EventRange {
  readonly chainId: number
  readonly ordinal: number
  readonly first: number
  readonly last: number
}

/** A line of an export that tells of one event, and where the event stands. */
export interface EventLine {
  readonly position: number
  readonly line: string
}

/**
 * The events of a range as lines of an export, in the order of the chain; a schema's name follows the attestation that gives
 * it. Without `times`, what depends on when the chain was read is left out.
 */
export function* eventLines(connection: Connection, range: EventRange, times: boolean): Generator<EventLine> {
  yield* mergeByPosition([
    schemaLines(connection, range, times),
    attestationLines(connection, range, times),
    nameLines(connection, range),
    revocationLines(connection, range, times),
    anchorLines(connection, range),
    undecodableLines(connection, range),
  ])
}

/** Merges walks that are ascending each; at one position, earlier walks come first. */
function* mergeByPosition(walks: readonly Generator<EventLine>[]): Generator<EventLine> {
  const heads = walks.map((walk) => walk.next())
  try {
    for (;;) {
      let least = -1
      let leastPosition = Number.POSITIVE_INFINITY
      for (const [index, head] of heads.entries()) {
        if (head.done === true || head.value.position >= leastPosition) continue
        least = index
        leastPosition = head.value.position
      }
      const [head, walk] = [heads[least], walks[least]]
      if (head === undefined || head.done === true || walk === undefined) return
      yield head.value
      heads[least] = walk.next()
    }
  } finally {
    for (const walk of walks) walk.return(undefined)
  }
}

function* schemaLines(connection: Connection, range: EventRange, times: boolean): Generator<EventLine> {
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
        'FROM schema WHERE registered = 1 AND chain_id = ? AND position BETWEEN ? AND ? ORDER BY position',
    )
    .iterate(range.chainId, range.first, range.last)
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
    yield { position: row[0], line: `{"type":"schema",${row[1]},"data":${row[2]},${members(rest)}}` }
  }
}

function* nameLines(connection: Connection, range: EventRange): Generator<EventLine> {
  const rows = rowsOfRange<[number, string, SqlValue]>(
    connection,
    range,
    'schema_name',
    'schema_local_id, name',
  )
  for (const [position, localId, name] of rows) {
    const line = JSON.stringify({
      type: 'schemaName',
      chainId: String(range.chainId),
      ...place(position),
      schemaId: `0x${localId}`,
      name: decodeText(name),
    })
    yield { position, line }
  }
}

function* attestationLines(connection: Connection, range: EventRange, times: boolean): Generator<EventLine> {
  const rows = rowsOfRange<
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
      claimed: string | null,
      settledBlock: number | null,
    ]
  >(
    connection,
    range,
    'attestation a LEFT JOIN revocation_claim c USING (id)',
    `summary_json, detail_json, protocol, transaction_sender, revoked_id & ${positionMask}, revoke_timestamp, ` +
      'revoke_reason, revoke_transaction, sync_at, last_sync_at, c.timestamp, c.settled_block',
  )
  for (const row of rows) {
    const revoked = row[6] !== null
    const claim = row[11] === null ? null : { timestamp: row[11], settledBlock: row[12] }
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
      ...(times ? { syncAt: row[9], lastSyncAt: row[10], claim } : {}),
    }
    yield { position: row[0], line: `{"type":"attestation",${row[1]},${row[2]},${members(rest)}}` }
  }
}

/** What the line of its attestation tells too, once more where the event stands: so an import never has to look ahead. */
function* revocationLines(connection: Connection, range: EventRange, times: boolean): Generator<EventLine> {
  const rows = connection
    .statement<[number, string, string, string, SqlValue, string, number | null]>(
      `SELECT revoked_id & ${positionMask}, local_id, protocol, revoke_timestamp, revoke_reason, ` +
        'revoke_transaction, last_sync_at FROM attestation ' +
        'WHERE revoked_id BETWEEN ? AND ? ORDER BY revoked_id',
    )
    .iterate(...rowIdsOf(range))
  for (const [position, localId, protocol, timestamp, reason, transactionHash, lastSyncAt] of rows) {
    const line = JSON.stringify({
      type: 'revocation',
      chainId: String(range.chainId),
      ...place(position),
      protocol,
      attestationId: `0x${localId}`,
      revokeTimestamp: timestamp,
      revokeReason: decodeText(reason),
      revokeTransactionHash: transactionHash,
      ...(times ? { syncAt: lastSyncAt } : {}),
    })
    yield { position, line }
  }
}

function* anchorLines(connection: Connection, range: EventRange): Generator<EventLine> {
  const rows = rowsOfRange<[number, string, string, string | null]>(
    connection,
    range,
    'anchor',
    'protocol, kind, account',
  )
  for (const [position, protocol, anchor, account] of rows) {
    const line = JSON.stringify({
      type: 'anchor',
      chainId: String(range.chainId),
      ...place(position),
      protocol,
      anchor,
      account,
    })
    yield { position, line }
  }
}

function* undecodableLines(connection: Connection, range: EventRange): Generator<EventLine> {
  for (const [position, body] of rowsOfRange<[number, string]>(
    connection,
    range,
    'undecodable',
    'body_json',
  )) {
    const line = `{"type":"undecodable","chainId":"${range.chainId}",${members(place(position))},${body}}`
    yield { position, line }
  }
}

/** The rows of a table whose ids are row ids, in the order of the chain; the position comes first. */
function rowsOfRange<Row extends SqlRow>(
  connection: Connection,
  range: EventRange,
  from: 'attestation a LEFT JOIN revocation_claim c USING (id)' | 'anchor' | 'undecodable' | 'schema_name',
  columns: string,
): Iterable<Row> {
  return connection
    .statement<Row>(
      `SELECT id & ${positionMask}, ${columns} FROM ${from} ` + 'WHERE id BETWEEN ? AND ? ORDER BY id',
    )
    .iterate(...rowIdsOf(range))
}

/** Made of bigints: a bound number is a double to SQLite, which the sum does not fit. */
function rowIdsOf({ ordinal, first, last }: EventRange): [bigint, bigint] {
  const base = BigInt(ordinal) << 53n
  return [base + BigInt(first), base + BigInt(last)]
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
