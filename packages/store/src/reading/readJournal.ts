import type { Change, ChangePlace, ChangeSlice, RevertedSummary } from '@attestry/core/index/indexQueries.ts'
import type { ListedChange } from '../layout/journal.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Dialect } from '../port/dialect.ts'
import type { Reads, SqlInput } from '../port/reads.ts'
import { anchorColumns, storedAnchorOfRow, type AnchorRow } from './anchors.ts'
import type { ReadSession } from './session.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestations,
  wholeRecord,
  type AttestationRow,
} from './storedAttestation.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** Rows of the journal in one read, at most. A row of a backfill holds thousands of changes, any other row a few. */
const rowsPerRead = 64

type JournalRow = [
  sequence: number,
  chainId: number,
  ordinal: number | null,
  firstPosition: number | null,
  lastPosition: number | null,
  bodyJson: string | null,
]

/** Finds the place after everything that the journal holds. */
export async function findNewestChange(reads: Reads): Promise<ChangePlace> {
  const row = await reads.get<[number | null]>('SELECT max(sequence) FROM change')
  return placeBehind(row?.[0] ?? 0)
}

function placeBehind(sequence: number): ChangePlace {
  return { sequence, offset: Number.MAX_SAFE_INTEGER }
}

/** @see ChangeJournal.listChanges */
export async function listChanges(
  session: ReadSession,
  after: ChangePlace,
  limit: number,
): Promise<ChangeSlice> {
  const { connection } = session
  const ends = await connection.get<[number | null, number | null]>(
    'SELECT (SELECT min(sequence) FROM change), (SELECT max(sequence) FROM change)',
  )
  const [oldest, newest] = [ends?.[0] ?? 0, placeBehind(ends?.[1] ?? 0)]
  if (after.sequence < oldest || after.sequence > newest.sequence) return resetTo(newest)
  const rows = await connection.all<JournalRow>(
    'SELECT j.sequence, j.chain_id, c.ordinal, j.first_position, j.last_position, j.body_json FROM change j ' +
      `LEFT JOIN chain c ON c.chain_id = j.chain_id WHERE j.sequence >= ? ORDER BY j.sequence LIMIT ${rowsPerRead}`,
    after.sequence,
  )
  const changes: Change[] = []
  let next = after
  for (const row of rows) {
    const offset = row[0] === after.sequence ? after.offset : -1
    const wanted = limit - changes.length
    const found = await readRow(session, row, offset, wanted)
    // A follower of the index must read the index anew: no change before this row counts.
    if (found === null) return resetTo(newest)
    changes.push(...found.changes)
    if (found.changes.length >= wanted || found.isCut) {
      next = found.changes.at(-1)?.place ?? next
      return { changes, next, hasMore: true }
    }
    next = placeBehind(row[0])
  }
  return { changes, next, hasMore: rows.length === rowsPerRead }
}

function resetTo(newest: ChangePlace): ChangeSlice {
  return { changes: [{ kind: 'reset', place: newest }], next: newest, hasMore: false }
}

/**
 * Reads the changes of one row of the journal after an offset; null if the row stands for too many to be listed.
 */
async function readRow(
  session: ReadSession,
  row: JournalRow,
  offset: number,
  limit: number,
): Promise<FoundChanges | null> {
  const [sequence, chainId, ordinal, firstPosition, lastPosition, bodyJson] = row
  // The row that every journal begins with belongs to no chain and lists nothing.
  if (ordinal === null) return nothing
  if (firstPosition !== null && lastPosition !== null) {
    const first = Math.max(firstPosition, offset + 1)
    const range = { sequence, chainId, ordinal, first, last: lastPosition }
    return range.first > range.last ? nothing : await readRange(session, range, limit)
  }
  if (offset === Number.MAX_SAFE_INTEGER) return nothing
  if (bodyJson === null) return null
  // The writer made the text of such entries.
  const listed = JSON.parse(bodyJson) as readonly ListedChange[]
  const changes: Change[] = []
  for (const [index, entry] of listed.entries()) {
    if (changes.length >= limit) break
    if (index <= offset) continue
    const change = await readListed(session, ordinal, { sequence, offset: index }, entry)
    if (change !== null) changes.push(change)
  }
  return { changes, isCut: false }
}

/**
 * Changes of a row of the journal; `isCut`: they end early, because of the length of payloads. There is one at least
 * then.
 */
interface FoundChanges {
  readonly changes: readonly Change[]
  readonly isCut: boolean
}

const nothing: FoundChanges = { changes: [], isCut: false }

/** A read of changes holds few long payloads. */
export const changeFields = { ...wholeRecord, payloadBytesMax: 1024 * 1024 }

export interface Range {
  readonly sequence: number
  readonly chainId: number
  readonly ordinal: number
  readonly first: number
  readonly last: number
}

/**
 * Reads the records and anchors that the blocks of a range brought and the index still holds, in the order of the
 * chain.
 */
export async function readRange(session: ReadSession, range: Range, limit: number): Promise<FoundChanges> {
  const { connection } = session
  const { dialect } = connection
  const { sequence, chainId, ordinal, first, last } = range
  const base = BigInt(ordinal) << 53n
  const ids = [base + BigInt(first), base + BigInt(last), limit]
  const [made, revoked, registered, anchored] = await Promise.all([
    readAttestations(session, 'attestation', 'a.id', sequence, ids),
    readAttestations(session, 'revocation', 'a.revoked_id', sequence, ids),
    connection.all<[position: number, ...SchemaRow]>(
      `SELECT s.position, ${schemaColumns} FROM schema s WHERE ${dialect.flag('s.registered', true)} AND s.chain_id = ? ` +
        `AND s.position BETWEEN ? AND ? ORDER BY s.position LIMIT ${dialect.bound}`,
      chainId,
      first,
      last,
      limit,
    ),
    connection.all<AnchorRow>(
      `SELECT ${anchorColumns} FROM anchor a WHERE a.id BETWEEN ? AND ? ORDER BY a.id LIMIT ${dialect.bound}`,
      ...ids,
    ),
  ])
  const schemas = registered.map(([offset, ...row]): Change => {
    return { kind: 'schema', place: { sequence, offset }, schema: storedSchemaOfRow(dialect, row) }
  })
  const anchors = anchored.map((row): Change => {
    const anchor = storedAnchorOfRow(dialect, row)
    return { kind: 'anchor', place: { sequence, offset: anchor.place.position }, anchor }
  })
  // No two events of a chain share a position.
  const changes = [...made, ...revoked, ...schemas, ...anchors]
    .sort((a, b) => a.place.offset - b.place.offset)
    .slice(0, limit)
  const unread = changes.findIndex(
    (change) => 'attestation' in change && change.attestation.unreadBytes !== undefined,
  )
  return unread === -1 ? { changes, isCut: false } : { changes: changes.slice(0, unread), isCut: true }
}

async function readAttestations(
  session: ReadSession,
  kind: 'attestation' | 'revocation',
  event: 'a.id' | 'a.revoked_id',
  sequence: number,
  parameters: readonly SqlInput[],
): Promise<Change[]> {
  const { connection } = session
  const { dialect } = connection
  const rows = await connection.all<[position: number, ...AttestationRow]>(
    `SELECT ${event} & ${positionMask}, ${selectWhole(dialect)} ` +
      `WHERE ${event} BETWEEN ? AND ? ORDER BY ${event} LIMIT ${dialect.bound}`,
    ...parameters,
  )
  const attestations = await storedAttestations(
    session,
    rows.map(([, ...row]) => row),
    changeFields,
  )
  return attestations.map((attestation, index): Change => {
    return { kind, place: { sequence, offset: rows[index]?.[0] ?? 0 }, attestation }
  })
}

/** The columns of a whole attestation and their tables. */
export function selectWhole(dialect: Dialect): string {
  return `${attestationColumns(dialect, wholeRecord)} FROM attestation a${schemaJoin(dialect, wholeRecord)}`
}

async function readListed(
  session: ReadSession,
  ordinal: number,
  place: ChangePlace,
  entry: ListedChange,
): Promise<Change | null> {
  if (entry[0] === 'anchor') return { kind: 'revertedAnchor', place, anchor: entry[1] }
  if (entry[0] !== 'settled') {
    const [record, summaryJson, protocol] = entry
    // The writer made the text of the members of a record.
    const summary = JSON.parse(`{${summaryJson}}`) as RevertedSummary
    return { kind: 'reverted', place, record, protocol, summary }
  }
  const { connection } = session
  const rows = await connection.all<AttestationRow>(
    `SELECT ${selectWhole(connection.dialect)} WHERE a.id = ?`,
    (BigInt(ordinal) << 53n) | BigInt(entry[1]),
  )
  const [attestation] = await storedAttestations(session, rows, wholeRecord)
  // A later revert may have removed the record or its revocation; the revert's own row of the journal reports that.
  if (attestation === undefined || attestation.revocation === null) return null
  return { kind: 'revocation', place, attestation }
}
