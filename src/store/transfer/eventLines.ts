import { addressOfBytes } from '../layout/hexColumn.ts'
import { positionMask } from '../layout/rowId.ts'
import { attestationJson } from '../port/attestationJson.ts'
import type { Reads, SqlRow, SqlValue } from '../port/reads.ts'
import {
  anchorLine,
  attestationLine,
  metadataLine,
  nameLine,
  revocationLine,
  schemaLine,
  undecodableLine,
  type EventLine,
  type EventRange,
} from './formatExportLine.ts'

/**
 * Yields the events of a range as lines of an export, in groups, in the order of the chain. The name of a schema
 * follows the attestation that gives the name. `times` false leaves out the members that depend on when the chain was
 * read.
 */
export function eventLines(
  reads: Reads,
  range: EventRange,
  times: boolean,
): AsyncGenerator<readonly EventLine[]> {
  return mergeByPosition([
    schemaLines(reads, range, times),
    attestationLines(reads, range, times),
    nameLines(reads, range),
    revocationLines(reads, range, times),
    anchorLines(reads, range),
    metadataLines(reads, range),
    undecodableLines(reads, range),
  ])
}

type Lines = AsyncGenerator<readonly EventLine[]>

/** Lines of a group, and about how many characters. */
const groupLines = 500
const groupLength = 2 ** 20

/** Merges ascending walks. Of lines at one position, the line of the earlier walk comes first. */
async function* mergeByPosition(walks: readonly Lines[]): Lines {
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

async function* schemaLines(reads: Reads, range: EventRange, times: boolean): Lines {
  const { decodeText, flag } = reads.dialect
  const batches = reads.batches<
    [
      position: number,
      summaryJson: string,
      fieldsJson: string,
      protocol: string,
      registerTimestamp: number,
      revocable: boolean | number,
      maxValidFor: string,
      resolver: string,
      dataLocation: string,
      definitionName: SqlValue,
      rawText: SqlValue,
      transactionSender: string | null,
      attestationCount: number,
      attesterCount: number,
      syncAt: number,
      context: SqlValue,
    ]
  >(
    'SELECT position, summary_json, fields_json, protocol, register_timestamp, revocable, max_valid_for, resolver, ' +
      'data_location, definition_name, raw_text, transaction_sender, attestation_count, attester_count, sync_at, context ' +
      `FROM schema WHERE ${flag('registered', true)} AND chain_id = ? AND position BETWEEN ? AND ? ORDER BY position`,
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
          revocable: Boolean(row[5]),
          maxValidFor: row[6],
          resolver: row[7],
          dataLocation: row[8],
          definitionName: decodeText(row[9]),
          rawText: decodeText(row[10]),
          transactionSender: row[11],
          attestationCount: row[12],
          attesterCount: row[13],
          syncAt: row[14],
          context: row[15] === null ? null : decodeText(row[15]),
        },
        times,
      ),
    )
  }
}

async function* attestationLines(reads: Reads, range: EventRange, times: boolean): Lines {
  const { decodeText } = reads.dialect
  const json = attestationJson(reads.dialect)
  const batches = rowsOfRange<
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
      revocable: boolean | number | null,
      portal: Uint8Array | null,
    ]
  >(
    reads,
    range,
    'attestation a LEFT JOIN revocation_claim c USING (id)',
    `${json.summary}, ${json.detail}, protocol, transaction_sender, revoked_id & ${positionMask}, revoke_timestamp, ` +
      'revoke_reason, revoke_transaction, sync_at, last_sync_at, c.timestamp, c.settled_block, revocable, portal',
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
          revocable: row[13] === null ? null : Boolean(row[13]),
          portal: row[14] === null ? null : addressOfBytes(row[14]),
        },
        times,
      ),
    )
  }
}

async function* nameLines(reads: Reads, range: EventRange): Lines {
  const { decodeText } = reads.dialect
  const batches = rowsOfRange<[number, string, SqlValue]>(
    reads,
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

async function* revocationLines(reads: Reads, range: EventRange, times: boolean): Lines {
  const { decodeText } = reads.dialect
  const batches = reads.batches<[number, string, string, string, SqlValue, string, number | null]>(
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

async function* anchorLines(reads: Reads, range: EventRange): Lines {
  const { decodeText } = reads.dialect
  const batches = rowsOfRange<[number, string, string, string | null, SqlValue, number, string, SqlValue]>(
    reads,
    range,
    'anchor',
    'protocol, kind, account, value, timestamp, transaction_hash, reason',
  )
  for await (const rows of batches) {
    yield rows.map(([position, protocol, anchor, account, value, timestamp, transactionHash, reason]) => {
      const texts = { value: decodeText(value), reason: decodeText(reason) }
      const row = { position, protocol, anchor, account, timestamp, transactionHash, ...texts }
      return anchorLine(range.chainId, row)
    })
  }
}

async function* metadataLines(reads: Reads, range: EventRange): Lines {
  const { decodeText } = reads.dialect
  const columns = 'protocol, kind, subject, body'
  const batches = rowsOfRange<[number, string, string, string, SqlValue]>(reads, range, 'metadata', columns)
  for await (const rows of batches) {
    yield rows.map(([position, protocol, of, subject, body]) =>
      metadataLine(range.chainId, {
        position,
        protocol,
        of,
        subject: `0x${subject}`,
        body: decodeText(body),
      }),
    )
  }
}

async function* undecodableLines(reads: Reads, range: EventRange): Lines {
  const batches = rowsOfRange<[number, string]>(reads, range, 'undecodable', 'body_json')
  for await (const rows of batches) {
    yield rows.map(([position, body]) => undecodableLine(range.chainId, position, body))
  }
}

/** The rows of a table whose ids are row ids, in the order of the chain. Their first column is the position. */
function rowsOfRange<Row extends SqlRow>(
  reads: Reads,
  range: EventRange,
  from:
    | 'attestation a LEFT JOIN revocation_claim c USING (id)'
    | 'anchor'
    | 'metadata'
    | 'undecodable'
    | 'schema_name',
  columns: string,
): AsyncIterable<Row[]> {
  return reads.batches<Row>(
    `SELECT id & ${positionMask}, ${columns} FROM ${from} WHERE id BETWEEN ? AND ? ORDER BY id`,
    ...rowIdsOf(range),
  )
}

/** Made of bigints: as a number the sum would be rounded. */
function rowIdsOf({ ordinal, first, last }: EventRange): [bigint, bigint] {
  const base = BigInt(ordinal) << 53n
  return [base + BigInt(first), base + BigInt(last)]
}
