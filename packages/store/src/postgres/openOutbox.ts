import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import type { JournalLimits } from '../layout/journal.ts'
import { advisoryLockKey } from './advisoryLock.ts'
import { openConnection, transact, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { translatePostgresError } from './translatePostgresError.ts'

/** A change as a row of the outbox. */
export interface OutboxRow {
  /** The id of the event in `/scan/events`. */
  readonly id: string
  readonly type: string
  /** The chain and the id of the record; null for a reset. */
  readonly chainId: number | null
  readonly record: string | null
  readonly payloadJson: string
}

/**
 * The outbox: a table with a row for each change, which programs for change data capture read. Invariants:
 * 1. Rows are numbered without gaps in the order of the changes, each change once: a row is only appended to the row
 *    that its writer saw last, whatever other writers do.
 * 2. The newest row is never deleted: its id says how far the outbox has come.
 */
export interface Outbox {
  /** The id of the newest row; null for an empty outbox. Makes the table if it is missing. */
  newestId(): Promise<string | null>
  /** Appends rows after the newest one; false if another process has appended others. */
  append(newestId: string | null, rows: readonly OutboxRow[]): Promise<boolean>
  close(): Promise<void>
}

const createTable =
  'CREATE TABLE IF NOT EXISTS attestry.outbox (number bigint PRIMARY KEY, id text NOT NULL UNIQUE, ' +
  'type text NOT NULL, chain_id bigint, record text, payload json NOT NULL, ' +
  'written_at timestamptz NOT NULL DEFAULT now())'

const lockKey = advisoryLockKey('outbox')

/** Rows that one transaction deletes at most. */
const deletedMax = 10_000

/** Opens the outbox of the database at `url`; the connection comes about when it is needed. */
export function openPostgresOutbox(url: string, { rowsMax, ageMaxMs }: JournalLimits): Outbox {
  const place = databasePlace(url)
  let connection: Connection | null = null
  let isClosed = false

  async function use<Result>(work: (open: Connection) => Promise<Result>): Promise<Result> {
    try {
      if (isClosed) throw new StoreUnavailableError(`the database ${place} is closed`)
      if (connection?.isOpen() !== true) {
        connection = await openConnection({ url, applicationName: 'attestry outbox' })
      }
      return await work(connection)
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  async function appendRows(
    open: Connection,
    newestId: string | null,
    rows: readonly OutboxRow[],
  ): Promise<boolean> {
    const newest = await readNewest(open)
    if (newest.id !== newestId) return false
    await open.run(
      'INSERT INTO attestry.outbox (number, id, type, chain_id, record, payload) ' +
        'SELECT ?::bigint + r.n, r.id, r.type, r.chain_id, r.record, r.payload::json ' +
        'FROM unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::text[]) ' +
        'WITH ORDINALITY AS r (id, type, chain_id, record, payload, n)',
      newest.number,
      rows.map(({ id }) => id),
      rows.map(({ type }) => type),
      rows.map(({ chainId }) => chainId),
      rows.map(({ record }) => record),
      rows.map(({ payloadJson }) => payloadJson),
    )
    await open.run(
      'DELETE FROM attestry.outbox WHERE number IN (SELECT number FROM attestry.outbox ' +
        `WHERE number <= ?::bigint - ${rowsMax} OR written_at < now() - interval '${ageMaxMs} milliseconds' ` +
        `ORDER BY number LIMIT ${deletedMax})`,
      newest.number + rows.length,
    )
    return true
  }

  return {
    newestId: () =>
      use(async (open) => {
        const known = await open.get<[boolean]>("SELECT to_regclass('attestry.outbox') IS NOT NULL")
        if (known?.[0] !== true) await open.exec(createTable)
        return (await readNewest(open)).id
      }),
    append: (newestId, rows) =>
      use((open) => transact(open, () => appendRows(open, newestId, rows), lockKey)),
    close: async () => {
      isClosed = true
      await connection?.close().catch(() => undefined)
    },
  }
}

async function readNewest(
  open: Connection,
): Promise<{ readonly number: number; readonly id: string | null }> {
  const row = await open.get<[number, string]>(
    'SELECT number, id FROM attestry.outbox ORDER BY number DESC LIMIT 1',
  )
  return row === undefined ? { number: 0, id: null } : { number: row[0], id: row[1] }
}
