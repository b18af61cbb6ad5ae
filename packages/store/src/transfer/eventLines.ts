import type { LocalId } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { schemaMembers } from '@attestry/core/model/recordJson.ts'
import { positionBlock, positionIndex, type Position } from '@attestry/core/model/position.ts'
import { addressOfBytes, bytesHex } from '../layout/hexColumn.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Table } from '../layout/tables.ts'
import { attestationJson, membersJson } from '../port/attestationJson.ts'
import { namedRows } from '../port/namedRows.ts'
import type { Reads } from '../port/reads.ts'

/** The part of a chain whose events are read: its positions from `first` to `last`, both included. */
export interface EventRange {
  readonly chainId: number
  readonly ordinal: number
  readonly first: number
  readonly last: number
}

/** A line of an export for one event, and the position of the event. */
export interface EventLine {
  readonly position: number
  readonly line: string
}

/**
 * The content of the lines of events.
 * `all`: records as they are, and when they were stored.
 * `timeless`: without what depends on when the chain was read.
 * `events`: as `timeless`, but only what the event itself says: later events of the chain do not change the line.
 */
export type LineForm = 'all' | 'timeless' | 'events'

/**
 * Yields the events of a range as lines of an export, in groups, in the order of the chain. The name of a schema
 * follows the attestation that gives the name. `parseExportLine.ts` reads the lines.
 */
export function eventLines(
  reads: Reads,
  range: EventRange,
  form: LineForm,
): AsyncGenerator<readonly EventLine[]> {
  const times = form === 'all'
  return mergeByPosition([
    schemaLines(reads, range, form),
    attestationLines(reads, range, form),
    plainLines(reads, range, 'schemaName', 'schema_name'),
    revocationLines(reads, range, times),
    plainLines(reads, range, 'anchor', 'anchor'),
    plainLines(reads, range, 'metadata', 'metadata'),
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

async function* schemaLines(reads: Reads, range: EventRange, form: LineForm): Lines {
  const batches = namedRows(
    reads,
    {
      position: ['int53', 'position'],
      localId: ['text', 'local_id'],
      name: ['chainText', 'name'],
      description: ['chainText', 'description'],
      registrant: ['text', 'registrant'],
      transactionHash: ['text', 'transaction_hash'],
      fieldsJson: ['text', 'fields_json'],
      payloadFieldsJson: ['text null', 'payload_fields_json'],
      syncAt: ['int53', 'sync_at'],
      protocol: ['text', 'protocol'],
      registerTimestamp: ['int53', 'register_timestamp'],
      revocable: ['boolean', 'revocable'],
      maxValidFor: ['text', 'max_valid_for'],
      resolver: ['text', 'resolver'],
      dataLocation: ['text', 'data_location'],
      definitionName: ['chainText', 'definition_name'],
      rawText: ['chainText', 'raw_text'],
      transactionSender: ['text null', 'transaction_sender'],
      attestationCount: ['int53', 'attestation_count'],
      attesterCount: ['int53', 'attester_count'],
      context: ['chainText null', 'context'],
    },
    `FROM schema WHERE ${reads.dialect.flag('registered', true)} AND chain_id = ? AND position BETWEEN ? AND ? ORDER BY position`,
    range.chainId,
    range.first,
    range.last,
  )
  for await (const rows of batches) {
    yield rows.map(({ position, fieldsJson, payloadFieldsJson, syncAt, ...row }) => {
      const { localId, name: effectiveName, description, registrant, transactionHash, ...members } = row
      const name = form === 'events' ? row.definitionName : effectiveName
      const key = { chainId: range.chainId, localId: `0x${localId}` as LocalId }
      const summary = schemaMembers({
        key,
        name,
        description,
        registrant: registrant as Address,
        transactionHash,
      })
      const others = {
        ...placeOf(position),
        ...members,
        // A member that is undefined is left out of the line.
        ...(form === 'events' ? { attestationCount: undefined, attesterCount: undefined } : {}),
        ...(form === 'all' ? { syncAt } : {}),
      }
      const payloadData = payloadFieldsJson === null ? '' : `"payloadData":${payloadFieldsJson},`
      return {
        position,
        line: `{"type":"schema",${membersJson(summary)},"data":${fieldsJson},${payloadData}${membersJson(others)}}`,
      }
    })
  }
}

async function* attestationLines(reads: Reads, range: EventRange, form: LineForm): Lines {
  const json = attestationJson(reads.dialect)
  const batches = namedRows(
    reads,
    {
      position: ['int53', `id & ${positionMask}`],
      summaryJson: ['text', json.summary],
      detailJson: ['text', json.detail],
      protocol: ['text', 'protocol'],
      transactionSender: ['text null', 'transaction_sender'],
      portal: ['bytes null', 'portal'],
      contractVersion: ['int32 null', 'contract_version'],
      subject: ['bytes null', 'subject'],
      revocable: ['boolean null', 'revocable'],
      revokedPosition: ['int53 null', `revoked_id & ${positionMask}`],
      revokeTimestamp: ['text null', 'revoke_timestamp'],
      revokeReason: ['chainText null', 'revoke_reason'],
      revokeTransaction: ['text null', 'revoke_transaction'],
      syncAt: ['int53', 'sync_at'],
      lastSyncAt: ['int53 null', 'last_sync_at'],
      claimed: ['text null', 'c.timestamp'],
      settledBlock: ['int53 null', 'c.settled_block'],
    },
    'FROM attestation a LEFT JOIN revocation_claim c USING (id) WHERE id BETWEEN ? AND ? ORDER BY id',
    ...rowIdsOf(range),
  )
  for await (const rows of batches) {
    yield rows.map((row) => {
      const { position, revokedPosition, claimed, settledBlock, syncAt, lastSyncAt } = row
      const revokeTimestamp = form === 'events' && revokedPosition !== null ? null : row.revokeTimestamp
      const revoked = revokeTimestamp !== null
      const claim = claimed === null ? null : { timestamp: claimed, settledBlock }
      const others = {
        ...placeOf(position),
        protocol: row.protocol,
        transactionSender: row.transactionSender,
        portal: row.portal === null ? null : addressOfBytes(row.portal),
        contractVersion: row.contractVersion,
        subject: row.subject === null ? null : bytesHex(row.subject),
        revocable: row.revocable,
        revoked,
        revokeTimestamp,
        revokeReason: revoked ? (row.revokeReason ?? '') : null,
        revokeTransactionHash: revoked ? (row.revokeTransaction ?? '') : '',
        // null also if it was born revoked: then no event says so.
        revokedBy: !revoked || revokedPosition === null ? null : placeOf(revokedPosition),
        ...(form === 'all' ? { syncAt, lastSyncAt, claim } : {}),
        // A claim that was settled may still be overruled by an event that comes late.
        ...(form === 'events' && revoked && claim !== null
          ? { claim: { ...claim, settledBlock: null } }
          : {}),
      }
      const line = `{"type":"attestation",${row.summaryJson},${row.detailJson},${membersJson(others)}}`
      return { position, line }
    })
  }
}

/**
 * The lines of revocations. They repeat the revocation of the attestation's line at the place of the event, so that an
 * import never has to look ahead.
 */
async function* revocationLines(reads: Reads, range: EventRange, times: boolean): Lines {
  const batches = namedRows(
    reads,
    {
      position: ['int53', `revoked_id & ${positionMask}`],
      protocol: ['text', 'protocol'],
      attestationId: ['text', "concat('0x', local_id)"],
      revokeTimestamp: ['text', 'revoke_timestamp'],
      revokeReason: ['chainText', 'revoke_reason'],
      revokeTransactionHash: ['text', 'revoke_transaction'],
      syncAt: ['int53 null', 'last_sync_at'],
    },
    'FROM attestation WHERE revoked_id BETWEEN ? AND ? ORDER BY revoked_id',
    ...rowIdsOf(range),
  )
  for await (const rows of batches) {
    yield rows.map(({ syncAt, ...row }) => eventLine('revocation', range, times ? { ...row, syncAt } : row))
  }
}

/** Events whose lines have the columns of their rows. */
const plainEvents = {
  schemaName: {
    schemaId: ['text', "concat('0x', schema_local_id)"],
    name: ['chainText', 'name'],
  },
  anchor: {
    protocol: ['text', 'protocol'],
    anchor: ['text', 'kind'],
    account: ['text null', 'account'],
    timestamp: ['int53', 'timestamp'],
    transactionHash: ['text', 'transaction_hash'],
    value: ['chainText', 'value'],
    reason: ['chainText', 'reason'],
  },
  metadata: {
    protocol: ['text', 'protocol'],
    of: ['text', 'kind'],
    subject: ['text', "concat('0x', subject)"],
    body: ['chainText', 'body'],
  },
} as const

async function* plainLines(
  reads: Reads,
  range: EventRange,
  type: keyof typeof plainEvents,
  table: Table,
): Lines {
  const members = { ...position, ...plainEvents[type] }
  for await (const rows of namedRows(reads, members, ...fromTable(table, range))) {
    yield rows.map((row) => eventLine(type, range, row))
  }
}

async function* undecodableLines(reads: Reads, range: EventRange): Lines {
  const members = { ...position, body: ['text', 'body_json'] } as const
  for await (const rows of namedRows(reads, members, ...fromTable('undecodable', range))) {
    yield rows.map(({ position: at, body }) => {
      const place = membersJson(placeOf(at))
      return { position: at, line: `{"type":"undecodable","chainId":"${range.chainId}",${place},${body}}` }
    })
  }
}

/** The rows of a table whose ids are row ids, in the order of the chain. */
function fromTable(table: Table, range: EventRange): [from: string, first: bigint, last: bigint] {
  return [`FROM ${table} WHERE id BETWEEN ? AND ? ORDER BY id`, ...rowIdsOf(range)]
}

const position = { position: ['int53', `id & ${positionMask}`] } as const

/** Made of bigints: as a number the sum would be rounded. */
function rowIdsOf({ ordinal, first, last }: EventRange): [bigint, bigint] {
  const base = BigInt(ordinal) << 53n
  return [base + BigInt(first), base + BigInt(last)]
}

function eventLine(
  type: string,
  { chainId }: EventRange,
  { position: at, ...members }: { readonly position: number; readonly [member: string]: unknown },
): EventLine {
  const line = JSON.stringify({ type, chainId: String(chainId), ...placeOf(at), ...members })
  return { position: at, line }
}

function placeOf(at: number): { readonly blockNumber: number; readonly eventIndex: number } {
  return { blockNumber: positionBlock(at as Position), eventIndex: positionIndex(at as Position) }
}
