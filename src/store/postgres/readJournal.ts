import type { JsonFragment } from '../../model/recordJson.ts'
import type { Change, ChangePlace, ChangeSlice } from '../indexQueries.ts'
import type { ListedChange } from '../layout/journal.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Connection } from './connection.ts'
import type { ReadSession } from './readSession.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestationOfRow,
  wholeRecord,
  type AttestationRow,
} from './storedAttestation.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** Rows of the journal looked at in one read, at most: those of a backfill hold thousands of changes each, others one. */
const rowsPerRead = 64

type JournalRow = [
  sequence: number,
  chainId: number,
  ordinal: number | null,
  firstPosition: number | null,
  lastPosition: number | null,
  bodyJson: string | null,
]

/** The place behind everything that the journal holds. */
export async function findNewestChange(connection: Connection): Promise<ChangePlace> {
  const row = await connection.get<[number | null]>('SELECT max(sequence) FROM change')
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
    const found = await readRow(connection, row, offset, wanted)
    // Whoever follows the index has to read it anew: nothing before this counts.
    if (found === null) return resetTo(newest)
    changes.push(...found)
    if (found.length >= wanted) {
      next = found.at(-1)?.place ?? next
      return { changes, next, hasMore: true }
    }
    next = placeBehind(row[0])
  }
  return { changes, next, hasMore: rows.length === rowsPerRead }
}

function resetTo(newest: ChangePlace): ChangeSlice {
  return { changes: [{ kind: 'reset', place: newest }], next: newest, hasMore: false }
}

/** The changes of one row of the journal behind an offset; null where it says that there were too many to be listed. */
async function readRow(
  connection: Connection,
  row: JournalRow,
  offset: number,
  limit: number,
): Promise<Change[] | null> {
  const [sequence, chainId, ordinal, firstPosition, lastPosition, bodyJson] = row
  // Only the row that every journal begins with belongs to no chain; it lists nothing.
  if (ordinal === null) return []
  if (firstPosition !== null && lastPosition !== null) {
    const first = Math.max(firstPosition, offset + 1)
    const range = { sequence, chainId, ordinal, first, last: lastPosition }
    return range.first > range.last ? [] : await readRange(connection, range, limit)
  }
  if (offset === Number.MAX_SAFE_INTEGER) return []
  if (bodyJson === null) return null
  // The text was made of such entries by the writer.
  const listed = JSON.parse(bodyJson) as readonly ListedChange[]
  const changes: Change[] = []
  for (const [index, entry] of listed.entries()) {
    if (changes.length >= limit) break
    if (index <= offset) continue
    const change = await readListed(connection, ordinal, { sequence, offset: index }, entry)
    if (change !== null) changes.push(change)
  }
  return changes
}

interface Range {
  readonly sequence: number
  readonly chainId: number
  readonly ordinal: number
  readonly first: number
  readonly last: number
}

/** What the blocks of a range brought and the index still holds, in the order of the chain. */
async function readRange(connection: Connection, range: Range, limit: number): Promise<Change[]> {
  const { sequence, chainId, ordinal, first, last } = range
  const base = BigInt(ordinal) << 53n
  const ids = [base + BigInt(first), base + BigInt(last), limit] as const
  const [made, revoked, registered] = await Promise.all([
    connection.all<[position: number, ...AttestationRow]>(selectAttestations('a.id'), ...ids),
    connection.all<[position: number, ...AttestationRow]>(selectAttestations('a.revoked_id'), ...ids),
    connection.all<[position: number, ...SchemaRow]>(
      `SELECT s.position, ${schemaColumns} FROM schema s ` +
        'WHERE s.registered AND s.chain_id = ? AND s.position BETWEEN ? AND ? ORDER BY s.position LIMIT ?',
      chainId,
      first,
      last,
      limit,
    ),
  ])
  const changes: Change[] = [
    ...made.map(([offset, ...row]): Change => {
      return { kind: 'attestation', place: { sequence, offset }, attestation: storedAttestationOfRow(row) }
    }),
    ...revoked.map(([offset, ...row]): Change => {
      return { kind: 'revocation', place: { sequence, offset }, attestation: storedAttestationOfRow(row) }
    }),
    ...registered.map(([offset, ...row]): Change => {
      return { kind: 'schema', place: { sequence, offset }, schema: storedSchemaOfRow(row) }
    }),
  ]
  // No two events of a chain share a position.
  return changes.sort((a, b) => a.place.offset - b.place.offset).slice(0, limit)
}

function selectAttestations(event: 'a.id' | 'a.revoked_id'): string {
  return (
    `SELECT ${event} & ${positionMask}, ${attestationColumns(wholeRecord)} FROM attestation a${schemaJoin(wholeRecord)} ` +
    `WHERE ${event} BETWEEN ? AND ? ORDER BY ${event} LIMIT ?`
  )
}

async function readListed(
  connection: Connection,
  ordinal: number,
  place: ChangePlace,
  entry: ListedChange,
): Promise<Change | null> {
  if (entry[0] !== 'settled') {
    const summaryJson = entry[1] as JsonFragment
    return { kind: 'reverted', place, record: entry[0], summaryJson }
  }
  const row = await connection.get<AttestationRow>(
    `SELECT ${attestationColumns(wholeRecord)} FROM attestation a${schemaJoin(wholeRecord)} WHERE a.id = ?`,
    (BigInt(ordinal) << 53n) | BigInt(entry[1]),
  )
  if (row === undefined) return null
  const attestation = storedAttestationOfRow(row)
  // A later revert may have taken the record or its revocation back; its own row of the journal tells of that.
  return attestation.revocation === null ? null : { kind: 'revocation', place, attestation }
}
