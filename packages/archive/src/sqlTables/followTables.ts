import { createPauses } from '@attestry/core/changes/pauses.ts'
import type { JournalTail } from '@attestry/core/changes/journalTail.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import { bytesHex } from '@attestry/store/layout/hexColumn.ts'
import type { DataLocation } from '@attestry/core/model/records.ts'
import { parseFields } from '@attestry/core/model/recordJson.ts'
import type { SyncLog } from '@attestry/core/sync/indexedChain.ts'
import { rowId } from '@attestry/store/layout/rowId.ts'
import type { Position } from '@attestry/core/model/position.ts'
import type { SqlInput } from '@attestry/store/port/reads.ts'
import { cellOf, reasonOf } from './typedColumns.ts'
import { BusyError, type TypedDatabase } from './typedDatabase.ts'
import {
  describeTable,
  dropTable,
  joinStorage,
  makeNotes,
  makeTable,
  noteOf,
  readNotes,
  storageOf,
  viewsOf,
  type NotedTable,
  type TypedSchema,
  type TypedTable,
} from './typedTable.ts'

/** A typed table of the configuration. */
export interface ConfiguredTable {
  readonly name: string
  /** The id of the API. */
  readonly schemaId: string
  readonly key: RecordKey
}

export interface FollowParts {
  readonly open: () => Promise<TypedDatabase>
  readonly tables: readonly ConfiguredTable[]
  /** The version of the program: another one may decode payloads in another way. */
  readonly program: string
  readonly decodePayload: DecodePayload
  readonly tail: JournalTail<unknown>
  readonly clock: Clock
  readonly log: SyncLog
}

const pollIntervalMs = 500
/** Pause without a new version of the index. */
const idleMaxMs = 60_000
const failurePauseMs = 2_000
const busyPauseMs = 100

/** Keeps typed tables current until `stop` aborts. Several processes may do so. */
export async function followTables(parts: FollowParts, stop: AbortSignal): Promise<void> {
  const { open, tail, clock, log } = parts
  const { wait, wake } = createPauses(clock)
  const leaveTail = tail.follow(pollIntervalMs, wake)
  stop.addEventListener('abort', wake, { once: true })
  const pause = (ms: number) => clock.sleep(ms, stop).catch(() => undefined)
  let lastMessage: string | null = null
  while (!stop.aborted) {
    let database: TypedDatabase | null = null
    try {
      database = await open()
      const follower = createFollower(database, parts)
      while (!stop.aborted) {
        try {
          if (!(await follower.step())) await wait(idleMaxMs)
          lastMessage = null
        } catch (error) {
          if (!(error instanceof BusyError)) throw error
          await pause(busyPauseMs)
        }
      }
    } catch (error) {
      const message = describeError(error)
      if (message !== lastMessage && !stop.aborted) log('warn', `typed tables wait: ${message}`, {})
      lastMessage = message
      await pause(failurePauseMs)
    } finally {
      await database?.close().catch(() => undefined)
    }
  }
  leaveTail()
}

/** Payloads that one transaction holds. */
const rowsPerStep = 200

/** A table with the place up to which payloads were decoded since the start; null: all of them. */
interface KeptTable {
  readonly table: TypedTable
  scanned: readonly [timestamp: number, id: bigint] | null
}

/** A range of the journal that is still to be looked through. */
interface JournalRange {
  readonly chainId: number
  first: bigint
  readonly last: bigint
}

export interface Follower {
  /** Does one bounded step; false if there is nothing to do for now. */
  step(): Promise<boolean>
}

export function createFollower(
  database: TypedDatabase,
  { tables, program, decodePayload, log }: Pick<FollowParts, 'tables' | 'program' | 'decodePayload' | 'log'>,
): Follower {
  const { words } = database
  const kept = new Map<string, KeptTable>()
  /** Problems that were logged, by the name of the table. */
  const told = new Map<string, string>()
  /** The last row of the journal that was looked at; null before the first step. */
  let place: number | null = null
  let ranges: JournalRange[] = []
  /** The place for which the views were brought to the schemas. */
  let settledAt: number | null = null

  function tell(name: string, level: 'info' | 'warn', text: string): void {
    if (told.get(name) === text) return
    told.set(name, text)
    log(level, text, {})
  }

  /** Brings the views to the configuration and to the schemas that are indexed. */
  async function settle(): Promise<void> {
    const refusal = await database.refusal()
    if (refusal !== null) {
      tell('', 'warn', `there are no typed tables: ${refusal}`)
      kept.clear()
      return
    }
    await makeNotes(database)
    const notes = await readNotes(database)
    for (const { name, schemaId } of notes) {
      if (!tables.some((table) => table.name === name && table.schemaId === schemaId)) await remove(name)
    }
    for (const configured of tables) {
      const { name, schemaId, key } = configured
      const schema = await findSchema(database, key, schemaId)
      if (schema === null) {
        if (!kept.has(name)) {
          tell(name, 'info', `the typed table ${name} waits: schema ${schemaId} is not indexed yet`)
        }
        continue
      }
      await bring(name, schema, notes.find((note) => note.name === name) ?? null)
    }
  }

  async function remove(name: string): Promise<void> {
    kept.delete(name)
    if (await isHeld(name, 'is kept, though the configuration no longer names it')) return
    await dropTable(database, name)
    tell(name, 'info', `the typed table ${name} was dropped: the configuration no longer names it`)
  }

  /** Whether objects of others depend on the views of a table; they are logged. */
  async function isHeld(name: string, state: string): Promise<boolean> {
    const there: string[] = []
    for (const view of viewsOf(name)) if (await database.holds(view)) there.push(view)
    const dependents = there.length === 0 ? [] : await database.dependents(there)
    if (dependents.length === 0) return false
    tell(name, 'warn', `the typed table ${name} ${state}: ${dependents.join(', ')} depends on it`)
    return true
  }

  async function bring(name: string, schema: TypedSchema, noted: NotedTable | null): Promise<void> {
    const known = kept.get(name)
    if (known !== undefined && isSame(known.table.schema, schema)) return
    const table = describeTable(name, schema, words)
    const note = noteOf(table, words, program)
    const isNoted =
      noted?.schemaId === schema.id && noted.storage === note.storage && noted.views === note.views
    const isThere = await Promise.all(viewsOf(name).map((view) => database.holds(view)))
    if (!isNoted || isThere.includes(false)) {
      if (noted === null && isThere.includes(true)) {
        // Another process may have made it meanwhile: the next step finds its note.
        if ((await readNotes(database)).some((each) => each.name === name)) return
        return tell(name, 'warn', `the typed table ${name} is not made: its name is taken in the database`)
      }
      if (await isHeld(name, 'is not made anew, though its columns or rows would change')) return
      await makeTable(database, table, note, noted?.schemaId === schema.id && noted.storage === note.storage)
      tell(name, 'info', `the typed table ${name} of schema ${schema.id} was made`)
    }
    kept.set(name, { table, scanned: [-1, 0n] })
  }

  /** Reads what the journal has added. */
  async function readJournal(): Promise<void> {
    const [ends] = await database.all<[number | null, number | null]>(
      'SELECT (SELECT min(sequence) FROM change), (SELECT max(sequence) FROM change)',
    )
    const [oldest, newest] = [ends?.[0] ?? 0, ends?.[1] ?? 0]
    const reaches = place !== null && place >= oldest && place <= newest
    if (place !== null && !reaches) for (const each of kept.values()) each.scanned = [-1, 0n]
    const rows = reaches
      ? await database.all<[number, number, number | null, number | null]>(
          'SELECT c.ordinal, c.chain_id, j.first_position, j.last_position FROM change j ' +
            'JOIN chain c ON c.chain_id = j.chain_id WHERE j.sequence > ? AND j.sequence <= ? ORDER BY j.sequence',
          place ?? 0,
          newest,
        )
      : []
    place = newest
    for (const [ordinal, chainId, first, last] of rows) {
      if (first === null || last === null || first > last) continue
      ranges.push({
        chainId,
        first: rowId(ordinal, first as Position),
        last: rowId(ordinal, last as Position),
      })
    }
  }

  async function step(): Promise<boolean> {
    await readJournal()
    if (settledAt !== place) await settle()
    settledAt = place
    const all = [...kept.values()]
    ranges = ranges.filter(({ chainId }) => all.some(({ table }) => table.schema.chainId === chainId))
    const scan = all.find(({ scanned }) => scanned !== null)
    if (scan !== undefined) {
      await scanOn(database, scan, decodePayload)
      return true
    }
    const [range] = ranges
    if (range === undefined) return false
    let last = range.last
    for (const { table } of all) {
      if (table.schema.chainId !== range.chainId) continue
      const rows = await decodeRows(
        database,
        table,
        'attestation a',
        'a.id BETWEEN ? AND ? AND +a.schema_id = ?',
        'a.id',
        [range.first, range.last, table.schema.rowId],
        decodePayload,
      )
      const lastRow = rows.at(-1)
      if (rows.length === rowsPerStep && lastRow !== undefined && lastRow.id < last) last = lastRow.id
    }
    range.first = last + 1n
    if (range.first > range.last) ranges.shift()
    return true
  }

  return { step }
}

function isSame(a: TypedSchema, b: TypedSchema): boolean {
  return a.rowId === b.rowId && a.fieldsJson === b.fieldsJson && a.protocol === b.protocol
}

async function findSchema(
  database: TypedDatabase,
  { chainId, localId }: RecordKey,
  id: string,
): Promise<TypedSchema | null> {
  const row = await database.get<[number, number, string, string]>(
    'SELECT s.id, c.ordinal, s.protocol, coalesce(s.payload_fields_json, s.fields_json) ' +
      'FROM schema s JOIN chain c ON c.chain_id = s.chain_id WHERE s.chain_id = ? AND s.local_id = ? ' +
      `AND ${database.dialect.flag('s.registered', true)} AND s.fields_json IS NOT NULL ORDER BY s.protocol LIMIT 1`,
    chainId,
    localId.slice(2),
  )
  if (row === undefined) return null
  const [schemaRowId, chainOrdinal, protocol, fieldsJson] = row
  return {
    rowId: schemaRowId,
    id,
    chainId,
    chainOrdinal,
    localDigits: localId.slice(2),
    protocol,
    fieldsJson,
  }
}

/** Decodes the next payloads of a table from the first to the newest; at the end, deletes rows without a record. */
async function scanOn(database: TypedDatabase, kept: KeptTable, decodePayload: DecodePayload): Promise<void> {
  const { table, scanned } = kept
  if (scanned === null) return
  const rows = await decodeRows(
    database,
    table,
    database.dialect.walked('attestation', 'a', 'attestation_by_schema'),
    '(a.attest_timestamp, a.id) > (?, ?) AND a.schema_id = ?',
    'a.attest_timestamp, a.id',
    [...scanned, table.schema.rowId],
    decodePayload,
  )
  const last = rows.at(-1)
  if (rows.length === rowsPerStep && last !== undefined) {
    kept.scanned = [last.timestamp, last.id]
    return
  }
  const lost = await database.all<[string]>(
    `SELECT CAST(t.id AS text) FROM ${storageOf(table.name)} t LEFT JOIN attestation a ON a.id = t.id ` +
      `WHERE a.id IS NULL LIMIT ${rowsPerStep}`,
  )
  if (lost.length === 0) {
    kept.scanned = null
    return
  }
  await database.transact(async () => {
    for (const [id] of lost) {
      await database.all(`DELETE FROM ${storageOf(table.name)} WHERE id = ?`, BigInt(id))
    }
  })
}

interface DecodedRow {
  readonly timestamp: number
  readonly id: bigint
}

/** Decodes attestations `a` of a table that fulfil a condition and have no row yet, in order; some at most. */
async function decodeRows(
  database: TypedDatabase,
  table: TypedTable,
  from: string,
  condition: string,
  order: string,
  parameters: readonly SqlInput[],
  decodePayload: DecodePayload,
): Promise<readonly DecodedRow[]> {
  const rows = await database.all<[string, number, string, Uint8Array]>(
    `SELECT CAST(a.id AS text), a.attest_timestamp, a.data_location, a.data FROM ${from} ${joinStorage(table.name)} ` +
      `WHERE ${condition} AND t.id IS NULL ORDER BY ${order} LIMIT ${rowsPerStep}`,
    ...parameters,
  )
  if (rows.length > 0) await writeRows(database, table, rows, decodePayload)
  return rows.map(([id, timestamp]) => ({ id: BigInt(id), timestamp }))
}

/** Parameters of one statement. */
const parametersMax = 10_000

async function writeRows(
  database: TypedDatabase,
  table: TypedTable,
  rows: readonly [id: string, timestamp: number, dataLocation: string, data: Uint8Array][],
  decodePayload: DecodePayload,
): Promise<void> {
  const { columns, schema } = table
  const fields = parseFields(schema.fieldsJson)
  const names = ['id', 'data', 'data_location', 'decode_error', ...columns.map((_, index) => `c${index}`)]
  const cells = rows.map(([id, , location, data]): SqlInput[] => {
    const dataLocation = location as DataLocation
    const payload = decodePayload({
      protocol: schema.protocol,
      fields,
      data: bytesHex(data),
      dataLocation,
    })
    const reason = reasonOf(payload, dataLocation)
    return [
      BigInt(id),
      data,
      dataLocation,
      reason,
      ...columns.map((column) => (reason === null ? cellOf(column, payload, database.words) : null)),
    ]
  })
  const perStatement = Math.max(1, Math.floor(parametersMax / names.length))
  const updates = names.slice(1).map((name) => `${name} = excluded.${name}`)
  await database.transact(async () => {
    for (let first = 0; first < cells.length; first += perStatement) {
      const some = cells.slice(first, first + perStatement)
      const row = `(${names.map(() => '?').join(', ')})`
      await database.all(
        `INSERT INTO ${storageOf(table.name)} (${names.join(', ')}) VALUES ${some.map(() => row).join(', ')} ` +
          `ON CONFLICT (id) DO UPDATE SET ${updates.join(', ')}`,
        ...some.flat(),
      )
    }
  })
}
