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
import type { Connection, SqlRow } from './connection.ts'
import { decodeText } from './textColumn.ts'

/**
 * The events of a range as lines of an export, in groups, in the order of the chain; a schema's name follows the attestation that
 * gives it. Without `times`, what depends on when the chain was read is left out.
 */
export function eventLines(
  connection: Connection,
  range: EventRange,
  times: boolean,
): AsyncGenerator<readonly EventLine[]> {
  return mergeByPosition([
    schemaLines(connection, range, times),
    attestationLines(connection, range, times),
    nameLines(connection, range),
    revocationLines(connection, range, times),
    anchorLines(connection, range),
    undecodableLines(connection, range),
  ])
}

type Lines = AsyncGenerator<readonly EventLine[]>

/** Lines given out at once, and about how many characters. */
const groupLines = 500
const groupLength = 2 ** 20

/** Merges walks that are ascending each; at one position, earlier walks come first. */
async function* mergeByPosition(walks: readonly Lines[]): AsyncGenerator<readonly EventLine[]> {
  const heads = walks.map((walk) => ({ walk, batch: [] as readonly EventLine[], at: 0, isDone: false }))
  let group: EventLine[] = []
  let length = 0
  try {
    for (;;) {
      let least: (typeof heads)[number] | null = null
      let leastPosition = Number.POSITIVE_INFINITY
      for (const head of heads) {
        if (head.at >= head.batch.length && !head.isDone) {
          const next = await head.walk.next()
          head.isDone = next.done === true
          head.batch = next.done === true ? [] : next.value
          head.at = 0
        }
        const position = head.batch[head.at]?.position ?? Number.POSITIVE_INFINITY
        if (position >= leastPosition) continue
        least = head
        leastPosition = position
      }
      const line = least?.batch[least.at]
      if (least === null || line === undefined) break
      least.at += 1
      group.push(line)
      length += line.line.length
      if (group.length < groupLines && length < groupLength) continue
      yield group
      group = []
      length = 0
    }
    yield group
  } finally {
    for (const { walk } of heads) await walk.return(undefined)
  }
}

async function* schemaLines(connection: Connection, range: EventRange, times: boolean): Lines {
  const batches = connection.batches<
    [
      position: number,
      summaryJson: string,
      fieldsJson: string,
      protocol: string,
      registerTimestamp: number,
      revocable: boolean,
      maxValidFor: string,
      resolver: string,
      dataLocation: string,
      definitionName: string,
      rawText: string,
      transactionSender: string | null,
      attestationCount: number,
      attesterCount: number,
      syncAt: number,
    ]
  >(
    'SELECT position, summary_json, fields_json, protocol, register_timestamp, revocable, max_valid_for, resolver, ' +
      'data_location, definition_name, raw_text, transaction_sender, attestation_count, attester_count, sync_at ' +
      'FROM schema WHERE registered AND chain_id = ? AND position BETWEEN ? AND ? ORDER BY position',
    range.chainId,
    range.first,
    range.last,
  )
  for await (const rows of batches) {
    yield rows.map((row) =>
      schemaLine(
        {
          position: row[0],
          summaryJson: row[1],
          fieldsJson: row[2],
          protocol: row[3],
          registerTimestamp: row[4],
          revocable: row[5],
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
      ),
    )
  }
}

async function* attestationLines(connection: Connection, range: EventRange, times: boolean): Lines {
  const batches = rowsOfRange<
    [
      position: number,
      summaryJson: string,
      detailJson: string,
      protocol: string,
      transactionSender: string | null,
      revokedPosition: number | null,
      revokeTimestamp: string | null,
      revokeReason: string | null,
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
  for await (const rows of batches) {
    yield rows.map((row) =>
      attestationLine(
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
      ),
    )
  }
}

async function* nameLines(connection: Connection, range: EventRange): Lines {
  const batches = rowsOfRange<[number, string, string]>(
    connection,
    range,
    'schema_name',
    'schema_local_id, name',
  )
  for await (const rows of batches) {
    yield rows.map(([position, localId, name]) =>
      nameLine(range.chainId, position, localId, decodeText(name)),
    )
  }
}

async function* revocationLines(connection: Connection, range: EventRange, times: boolean): Lines {
  const batches = connection.batches<[number, string, string, string, string, string, number | null]>(
    `SELECT revoked_id & ${positionMask}, local_id, protocol, revoke_timestamp, revoke_reason, ` +
      'revoke_transaction, last_sync_at FROM attestation WHERE revoked_id BETWEEN ? AND ? ORDER BY revoked_id',
    ...rowIdsOf(range),
  )
  for await (const rows of batches) {
    yield rows.map(([position, localId, protocol, timestamp, reason, transactionHash, lastSyncAt]) => {
      const row = { position, localId, protocol, timestamp, transactionHash, lastSyncAt }
      return revocationLine(range.chainId, { ...row, reason: decodeText(reason) }, times)
    })
  }
}

async function* anchorLines(connection: Connection, range: EventRange): Lines {
  const batches = rowsOfRange<[...AnchorLineRow]>(connection, range, 'anchor', 'protocol, kind, account')
  for await (const rows of batches) yield rows.map((row) => anchorLine(range.chainId, row))
}

async function* undecodableLines(connection: Connection, range: EventRange): Lines {
  const batches = rowsOfRange<[number, string]>(connection, range, 'undecodable', 'body_json')
  for await (const rows of batches) {
    yield rows.map(([position, body]) => undecodableLine(range.chainId, position, body))
  }
}

/** The rows of a table whose ids are row ids, in the order of the chain; the position comes first. */
function rowsOfRange<Row extends SqlRow>(
  connection: Connection,
  range: EventRange,
  from: 'attestation a LEFT JOIN revocation_claim c USING (id)' | 'anchor' | 'undecodable' | 'schema_name',
  columns: string,
): AsyncGenerator<Row[]> {
  return connection.batches<Row>(
    `SELECT id & ${positionMask}, ${columns} FROM ${from} WHERE id BETWEEN ? AND ? ORDER BY id`,
    ...rowIdsOf(range),
  )
}

function rowIdsOf({ ordinal, first, last }: EventRange): [bigint, bigint] {
  const base = BigInt(ordinal) << 53n
  return [base + BigInt(first), base + BigInt(last)]
}
