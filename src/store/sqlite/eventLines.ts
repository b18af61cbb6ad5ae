import { positionMask } from '../layout/rowId.ts'
import {
  anchorLine,
  attestationLine,
  nameLine,
  revocationLine,
  schemaLine,
  undecodableLine,
  type AnchorLineRow,
  type EventLine,
  type EventRange,
} from '../transfer/formatExportLine.ts'
import { attestationJson } from './attestationJson.ts'
import type { Connection, SqlRow, SqlValue } from './connection.ts'
import { decodeText } from './textColumn.ts'

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
    yield schemaLine(
      {
        position: row[0],
        summaryJson: row[1],
        fieldsJson: row[2],
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
        syncAt: row[14],
      },
      times,
    )
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
    yield nameLine(range.chainId, position, localId, decodeText(name))
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
    `${attestationJson.summary}, ${attestationJson.detail}, protocol, transaction_sender, ` +
      `revoked_id & ${positionMask}, revoke_timestamp, ` +
      'revoke_reason, revoke_transaction, sync_at, last_sync_at, c.timestamp, c.settled_block',
  )
  for (const row of rows) {
    yield attestationLine(
      {
        position: row[0],
        summaryJson: row[1],
        detailJson: row[2],
        protocol: row[3],
        transactionSender: row[4],
        revokedPosition: row[5],
        revokeTimestamp: row[6],
        revokeReason: decodeText(row[7]),
        revokeTransaction: row[8],
        syncAt: row[9],
        lastSyncAt: row[10],
        claimed: row[11],
        settledBlock: row[12],
      },
      times,
    )
  }
}

function* revocationLines(connection: Connection, range: EventRange, times: boolean): Generator<EventLine> {
  const rows = connection
    .statement<[number, string, string, string, SqlValue, string, number | null]>(
      `SELECT revoked_id & ${positionMask}, local_id, protocol, revoke_timestamp, revoke_reason, ` +
        'revoke_transaction, last_sync_at FROM attestation ' +
        'WHERE revoked_id BETWEEN ? AND ? ORDER BY revoked_id',
    )
    .iterate(...rowIdsOf(range))
  for (const [position, localId, protocol, timestamp, reason, transactionHash, lastSyncAt] of rows) {
    const row = { position, localId, protocol, timestamp, transactionHash, lastSyncAt }
    yield revocationLine(range.chainId, { ...row, reason: decodeText(reason) }, times)
  }
}

function* anchorLines(connection: Connection, range: EventRange): Generator<EventLine> {
  const rows = rowsOfRange<[...AnchorLineRow]>(connection, range, 'anchor', 'protocol, kind, account')
  for (const row of rows) yield anchorLine(range.chainId, row)
}

function* undecodableLines(connection: Connection, range: EventRange): Generator<EventLine> {
  const rows = rowsOfRange<[number, string]>(connection, range, 'undecodable', 'body_json')
  for (const [position, body] of rows) yield undecodableLine(range.chainId, position, body)
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
