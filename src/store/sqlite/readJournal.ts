import type { JsonFragment } from '../../model/recordJson.ts'
import type { Change, ChangePlace, ChangeSlice } from '../indexQueries.ts'
import { positionMask } from '../layout/rowId.ts'
import type { ListedChange } from '../layout/journal.ts'
import type { SqlRow } from './connection.ts'
import type { ReadSession } from './readSession.ts'
import { attestationColumns, storedAttestationOfRow, type AttestationRow } from './storedAttestation.ts'
import { schemaColumns, storedSchemaOfRow, type SchemaRow } from './storedSchema.ts'

/** Rows of the journal looked at in one read, at most: those of a backfill hold thousands of changes each, others one. */
const rowsPerRead = 64

const wholeRecord = { detail: true, schema: true }

type JournalRow = [
  sequence: number,
  chainId: number,
  ordinal: number | null,
  firstPosition: number | null,
  lastPosition: number | null,
  bodyJson: string | null,
]

/** The place behind everything that the journal holds. */
export function findNewestChange({ connection }: ReadSession): ChangePlace {
  const sequence = connection.statement<[number | null]>('SELECT max(sequence) FROM change').get()?.[0] ?? 0
  return { sequence, offset: Number.MAX_SAFE_INTEGER }
}

/** @see ChangeJournal.listChanges */
export function listChanges(session: ReadSession, after: ChangePlace, limit: number): ChangeSlice {
  const { connection } = session
  const newest = findNewestChange(session)
  const oldest = connection.statement<[number]>('SELECT min(sequence) FROM change').get()?.[0] ?? 0
  if (after.sequence < oldest || after.sequence > newest.sequence) return resetTo(newest)
  const rows = connection
    .statement<JournalRow>(
      'SELECT j.sequence, j.chain_id, c.ordinal, j.first_position, j.last_position, j.body_json FROM change j ' +
        `LEFT JOIN chain c ON c.chain_id = j.chain_id WHERE j.sequence >= ? ORDER BY j.sequence LIMIT ${rowsPerRead}`,
    )
    .all(after.sequence)
  const changes: Change[] = []
  let next = after
  for (const row of rows) {
    const offset = row[0] === after.sequence ? after.offset : -1
    const wanted = limit - changes.length
    const found = readRow(session, row, offset, wanted)
    // Whoever follows the index has to read it anew: nothing before this counts.
    if (found === null) return resetTo(newest)
    changes.push(...found)
    if (found.length >= wanted) {
      next = found.at(-1)?.place ?? next
      return { changes, next, hasMore: true }
    }
    next = { sequence: row[0], offset: Number.MAX_SAFE_INTEGER }
  }
  return { changes, next, hasMore: rows.length === rowsPerRead }
}

function resetTo(newest: ChangePlace): ChangeSlice {
  return { changes: [{ kind: 'reset', place: newest }], next: newest, hasMore: false }
}

/** The changes of one row of the journal behind an offset; null where it says that there were too many to be listed. */
function readRow(session: ReadSession, row: JournalRow, offset: number, limit: number): Change[] | null {
  const [sequence, chainId, ordinal, firstPosition, lastPosition, bodyJson] = row
  // Only the row that every journal begins with belongs to no chain; it lists nothing.
  if (ordinal === null) return []
  if (firstPosition !== null && lastPosition !== null) {
    const range = {
      sequence,
      chainId,
      ordinal,
      first: Math.max(firstPosition, offset + 1),
      last: lastPosition,
    }
    return range.first > range.last ? [] : readRange(session, range, limit)
  }
  if (offset === Number.MAX_SAFE_INTEGER) return []
  if (bodyJson === null) return null
  // The text was made of such entries by `changeJournal.ts`.
  const listed = JSON.parse(bodyJson) as readonly ListedChange[]
  return listed
    .flatMap((entry, index) => {
      const place = { sequence, offset: index }
      return index <= offset ? [] : readListed(session, ordinal, place, entry)
    })
    .slice(0, limit)
}

interface Range {
  readonly sequence: number
  readonly chainId: number
  readonly ordinal: number
  readonly first: number
  readonly last: number
}

/** What the blocks of a range brought and the index still holds, in the order of the chain. */
function readRange(session: ReadSession, range: Range, limit: number): Change[] {
  const { sequence, chainId, ordinal, first, last } = range
  const base = BigInt(ordinal) << 53n
  const ids = [base + BigInt(first), base + BigInt(last), limit] as const
  const made = selectRecords<AttestationRow>(
    session,
    `a.id & ${positionMask}, ${attestationColumns(wholeRecord)} FROM attestation a WHERE a.id BETWEEN ? AND ? ORDER BY a.id`,
    ids,
  )
  const revoked = selectRecords<AttestationRow>(
    session,
    `a.revoked_id & ${positionMask}, ${attestationColumns(wholeRecord)} FROM attestation a ` +
      'WHERE a.revoked_id BETWEEN ? AND ? ORDER BY a.revoked_id',
    ids,
  )
  const registered = selectRecords<SchemaRow>(
    session,
    `s.position, ${schemaColumns} FROM schema s ` +
      'WHERE s.registered = 1 AND s.chain_id = ? AND s.position BETWEEN ? AND ? ORDER BY s.position',
    [chainId, first, last, limit],
  )
  const attestationOf = (row: AttestationRow) => storedAttestationOfRow(session, row, wholeRecord)
  const changes: Change[] = [
    ...made.map(([offset, row]): Change => {
      return { kind: 'attestation', place: { sequence, offset }, attestation: attestationOf(row) }
    }),
    ...revoked.map(([offset, row]): Change => {
      return { kind: 'revocation', place: { sequence, offset }, attestation: attestationOf(row) }
    }),
    ...registered.map(([offset, row]): Change => {
      return { kind: 'schema', place: { sequence, offset }, schema: storedSchemaOfRow(row) }
    }),
  ]
  // No two events of a chain share a position.
  return changes.sort((a, b) => a.place.offset - b.place.offset).slice(0, limit)
}

function readListed(
  session: ReadSession,
  ordinal: number,
  place: ChangePlace,
  entry: ListedChange,
): Change[] {
  if (entry[0] !== 'settled') {
    const summaryJson = entry[1] as JsonFragment
    return [{ kind: 'reverted', place, record: entry[0], summaryJson }]
  }
  const row = session.connection
    .statement<AttestationRow>(`SELECT ${attestationColumns(wholeRecord)} FROM attestation a WHERE a.id = ?`)
    .get((BigInt(ordinal) << 53n) | BigInt(entry[1]))
  // A later revert may have taken the record or its revocation back; its own row of the journal tells of that.
  if (row === undefined || row[6] === null) return []
  return [{ kind: 'revocation', place, attestation: storedAttestationOfRow(session, row, wholeRecord) }]
}

function selectRecords<Row extends SqlRow>(
  { connection }: ReadSession,
  select: string,
  parameters: readonly (number | bigint)[],
): [position: number, row: Row][] {
  const rows = connection.statement<[number, ...Row]>(`SELECT ${select} LIMIT +?`).all(...parameters)
  // The position comes first, the columns of a record follow in the order of its row.
  return rows.map(([position, ...row]) => [position, row as unknown as Row])
}
