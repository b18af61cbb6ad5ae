import { holdQuotas } from './holdQuotas.ts'
import { hashKeyOf, selectEntries } from './offchainConditions.ts'
import type { BesideDatabase, BesideStatements, BesideValue } from '@attestry/store/beside/besideDatabase.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { takeTurn } from '@attestry/core/model/threadTurns.ts'
import {
  headColumn,
  headColumns,
  headTextOf,
  parseHead,
  parseRow,
  rowColumns,
  type EntryRow,
  type HeadRow,
} from './offchainRows.ts'
import type {
  AddOutcome,
  OffchainEntry,
  OffchainFilter,
  OffchainHead,
  OffchainLengths,
  OffchainSlice,
  OffchainStore,
  StoredOffchain,
  Tombstone,
} from './offchainStore.ts'
import { isTombstone, sliceBytesMax } from './offchainStore.ts'

/** The latest time that a column holds; later ones never come. */
const latestTime = Number.MAX_SAFE_INTEGER

const bodyLength = 'octet_length(e.body_json) + coalesce(octet_length(e.revocation_json), 0)'
const headLength = `octet_length(${headColumn})`
/** Of rows of earlier versions only the head is kept, whose length is not known before. */
const heldLength = 'coalesce(octet_length(e.head_json), 1024)'

/** Entries that one statement reads. */
const listed = 200

/** Bytes of entries that one statement reads, unless one entry has more. */
const bytesAtOnce = 256 * 1024

/** The store over a database. */
export function openOffchainStore(database: BesideDatabase): OffchainStore {
  const table = `${database.prefix}entry`
  const recipients = `${database.prefix}recipient`
  const select = (filter: OffchainFilter) => selectEntries(filter, database.prefix)
  const selectById = `SELECT ${rowColumns} FROM ${table} e WHERE e.id = ?`

  async function findEqual(statements: BesideStatements, entry: OffchainEntry) {
    const rows = await statements.all<EntryRow>(
      `${selectById} AND e.contract = ? AND e.signer = ?`,
      entry.id,
      entry.contract ?? '',
      entry.signer,
    )
    return rows[0] === undefined ? null : parseRow(rows[0])
  }

  async function insert(statements: BesideStatements, entry: OffchainEntry): Promise<StoredOffchain> {
    const { body } = entry
    const columns: Readonly<Record<string, BesideValue>> = {
      id: entry.id,
      kind: entry.kind,
      protocol: entry.protocol,
      chain_id: entry.chainId,
      contract: entry.contract ?? '',
      local_id: entry.localId,
      signer: entry.signer,
      schema_id: entry.schemaId,
      linked_key: body.linked === '' ? null : hashKeyOf(body.linked),
      indexing_key: body.indexingValue === '' ? null : hashKeyOf(body.indexingValue),
      made_at: entry.madeAt,
      expires_at: body.validUntil === '0' ? latestTime : Math.min(Number(body.validUntil), latestTime),
      stored_at: entry.storedAt,
      stored_by: entry.storedBy,
      content_id: entry.contentId,
      body_json: JSON.stringify(body),
      head_json: headTextOf(body),
      revocation_json: entry.revocation === null ? null : JSON.stringify(entry.revocation),
    }
    const names = Object.keys(columns)
    const [row] = await statements.all<[number]>(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')}) RETURNING sequence`,
      ...Object.values(columns),
    )
    if (row === undefined) throw new TypeError('an insert returns its sequence')
    const [sequence] = row
    for (const key of new Set(body.recipients.map(hashKeyOf))) {
      await statements.all(
        `INSERT INTO ${recipients} (recipient_key, sequence) VALUES (?, ?) RETURNING sequence`,
        key,
        sequence,
      )
    }
    return { ...entry, sequence }
  }

  /** Empties entries, and keeps them as tombstones. Returns how many. */
  async function empty(
    statements: BesideStatements,
    condition: string,
    parameters: readonly string[],
    { deletedAt, reason }: Pick<Tombstone, 'deletedAt' | 'reason'>,
  ): Promise<number> {
    const emptied = await statements.all<[number]>(
      `UPDATE ${table} SET body_json = NULL, head_json = NULL, revocation_json = NULL, linked_key = NULL, indexing_key = NULL, ` +
        `schema_id = NULL, deleted_at = ?, deletion_json = ? WHERE ${condition} AND deleted_at IS NULL RETURNING sequence`,
      deletedAt,
      JSON.stringify(reason),
      ...parameters,
    )
    for (const [sequence] of emptied) {
      await statements.all(`DELETE FROM ${recipients} WHERE sequence = ? RETURNING sequence`, sequence)
    }
    return emptied.length
  }

  async function readRows(sequences: readonly number[]): Promise<EntryRow[]> {
    const marks = sequences.map(() => '?').join(', ')
    return await database.all<EntryRow>(
      `SELECT ${rowColumns} FROM ${table} e WHERE e.sequence IN (${marks})`,
      ...sequences,
    )
  }

  /** Whole entries by their sequences, without those that were deleted. */
  async function readEntries(sequences: readonly number[]): Promise<ReadonlyMap<number, StoredOffchain>> {
    const entries = (await readRows(sequences))
      .map(parseRow)
      .filter((entry): entry is StoredOffchain => !isTombstone(entry))
    return new Map(entries.map((entry) => [entry.sequence, entry]))
  }

  /** The places of a slice, with the lengths of texts. The length of a text is known without reading it. */
  async function measureSlice(
    { filter, order, after, limit, skip = 0 }: OffchainSlice,
    length: string,
    held = length,
  ): Promise<readonly OffchainLengths[]> {
    const { from, parameters } = select(filter)
    const isNewestFirst = order === 'newestFirst'
    const behind = after === null ? '' : ` AND (e.made_at, e.sequence) ${isNewestFirst ? '<' : '>'} (?, ?)`
    const place = after === null ? [] : [after.madeAt, after.sequence]
    const direction = isNewestFirst ? 'DESC' : 'ASC'
    const rows = await database.all<[sequence: number, madeAt: number, bytes: number, heldBytes: number]>(
      `SELECT e.sequence, e.made_at, ${length}, ${held} ${from}${behind} ` +
        `ORDER BY e.made_at ${direction}, e.sequence ${direction} LIMIT ? OFFSET ?`,
      ...parameters,
      ...place,
      limit,
      skip,
    )
    return rows.map(([sequence, madeAt, bytes, heldBytes]) => ({ sequence, madeAt, bytes, heldBytes }))
  }

  return {
    add: (entry, allowance) =>
      database.transact(async (statements): Promise<AddOutcome> => {
        const known = await findEqual(statements, entry)
        if (known !== null) {
          return isTombstone(known) ? { kind: 'deleted', tombstone: known } : { kind: 'known', entry: known }
        }
        const { signer, storedAt, body } = entry
        const work = { signer, storedAt, bytes: Buffer.byteLength(body.text) }
        const over = allowance && (await holdQuotas(statements, database.prefix, work, allowance))
        return over ?? { kind: 'added', entry: await insert(statements, entry) }
      }),

    revoke: (id, revocation, allowance) =>
      database.transact(async (statements) => {
        const revoked = await statements.all(
          `SELECT sequence FROM ${table} WHERE id = ? AND revocation_json IS NULL AND deleted_at IS NULL`,
          id,
        )
        if (revoked.length === 0) return null
        const { text, timestamp } = revocation
        const work = { signer: null, storedAt: timestamp * 1_000, bytes: Buffer.byteLength(text) }
        const over = allowance && (await holdQuotas(statements, database.prefix, work, allowance))
        if (over !== null) return over
        await statements.all(
          `UPDATE ${table} SET revocation_json = ? WHERE id = ? AND revocation_json IS NULL ` +
            'AND deleted_at IS NULL RETURNING sequence',
          JSON.stringify(revocation),
          id,
        )
        return null
      }),

    remove: (id, reason, nowMs, signer = null) =>
      database.transact((statements) =>
        signer === null
          ? empty(statements, 'id = ?', [id], { deletedAt: nowMs, reason })
          : empty(statements, 'id = ? AND signer = ?', [id, signer], { deletedAt: nowMs, reason }),
      ),

    signersOf: async (id) => {
      const rows = await database.all<[Address]>(
        `SELECT DISTINCT signer FROM ${table} WHERE id = ? AND deleted_at IS NULL ORDER BY signer`,
        id,
      )
      return rows.map(([signer]) => signer)
    },

    bury: (tombstone) =>
      database.transact(async (statements) => {
        const { id, contract, signer, deletedAt, reason } = tombstone
        const key = [id, contract ?? '', signer]
        const names =
          'id, contract, signer, kind, protocol, local_id, made_at, expires_at, stored_at, stored_by, content_id'
        await statements.all(
          `INSERT INTO ${table} (${names}) VALUES (?, ?, ?, 'attestation', '', ?, 0, 0, 0, '', '') ` +
            'ON CONFLICT (id, contract, signer) DO NOTHING RETURNING sequence',
          ...key,
          id,
        )
        await empty(statements, 'id = ? AND contract = ? AND signer = ?', key, { deletedAt, reason })
      }),

    find: async (id, signer = null) => {
      const ofSigner = signer === null ? '' : ' AND e.signer = ?'
      const [row] = await database.all<EntryRow>(
        `${selectById}${ofSigner} ORDER BY e.deleted_at IS NOT NULL, e.sequence LIMIT 1`,
        id,
        ...(signer === null ? [] : [signer]),
      )
      return row === undefined ? null : parseRow(row)
    },

    findSequences: async (names) => {
      const name = '(?, ?, CAST(? AS bigint), ?)'
      const sequences: number[] = []
      for (let at = 0; at < names.length; at += listed) {
        const part = names.slice(at, at + listed)
        const rows = await database.all<[number]>(
          `WITH named (local_id, signer, chain_id, protocol) AS (VALUES ${part.map(() => name).join(', ')}) ` +
            `SELECT e.sequence FROM named n JOIN ${table} e ON e.local_id = n.local_id AND e.signer = n.signer ` +
            'AND e.chain_id = n.chain_id AND e.protocol = n.protocol',
          ...part.flatMap(({ localId, signer, chainId, protocol }) => [localId, signer, chainId, protocol]),
        )
        sequences.push(...rows.map(([sequence]) => sequence))
      }
      return sequences
    },

    count: async (filter) => {
      const { from, parameters } = select(filter)
      const [row] = await database.all<[number]>(`SELECT count(*) ${from}`, ...parameters)
      return row?.[0] ?? 0
    },

    slice: async (request) => {
      const entries: StoredOffchain[] = []
      let read = 0
      for (const part of partsOf(await measureSlice(request, bodyLength))) {
        const found = await readEntries(part.map(({ sequence }) => sequence))
        for (const { sequence, bytes } of part) {
          const entry = found.get(sequence)
          if (entry === undefined) continue
          read += bytes
          if (read > sliceBytesMax && entries.length > 0) return { entries, isCut: true }
          entries.push(entry)
        }
        await takeTurn()
      }
      return { entries, isCut: false }
    },

    slicePlaces: (request) => measureSlice(request, headLength, heldLength),

    readHeads: async (places) => {
      const heads: OffchainHead[] = []
      for (const part of partsOf(places)) {
        const marks = part.map(() => '?').join(', ')
        const rows = await database.all<HeadRow>(
          `SELECT ${headColumns} FROM ${table} e WHERE e.sequence IN (${marks}) AND e.deleted_at IS NULL`,
          ...part.map(({ sequence }) => sequence),
        )
        heads.push(...rows.map(parseHead))
        await takeTurn()
      }
      return new Map(heads.map((head) => [head.sequence, head]))
    },

    read: async (sequence) => (await readEntries([sequence])).get(sequence) ?? null,

    async *list() {
      let after = 0
      for (;;) {
        const rows = await database.all<[sequence: number, bytes: number | null]>(
          `SELECT e.sequence, ${bodyLength} FROM ${table} e WHERE e.sequence > ? ORDER BY e.sequence LIMIT ?`,
          after,
          listed,
        )
        const places = rows.map(([sequence, bytes]) => ({ sequence, bytes: bytes ?? 0 }))
        for (const part of partsOf(places)) {
          const found = await readRows(part.map(({ sequence }) => sequence))
          for (const row of found.sort(([a], [b]) => a - b)) yield parseRow(row)
        }
        if (rows.length < listed) return
        after = rows.at(-1)?.[0] ?? after
      }
    },

    close: () => database.close(),
  }
}

/** Rows in parts of `bytesAtOnce`, of which few are in memory at the same time. */
function* partsOf<Row extends Pick<OffchainLengths, 'bytes'>>(
  rows: readonly Row[],
): Generator<readonly Row[]> {
  for (let start = 0; start < rows.length;) {
    let [end, sum] = [start, 0]
    while (end < rows.length && end - start < listed) {
      sum += rows[end]?.bytes ?? 0
      if (sum > bytesAtOnce && end > start) break
      end += 1
    }
    yield rows.slice(start, end)
    start = end
  }
}
