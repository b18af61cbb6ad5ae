import type { SchemaReference } from '@attestry/core/index/storedRecords.ts'
import { createRecentMap, type RecentMap } from '@attestry/core/model/recentMap.ts'
import { createReadMemo, lookupsMaxDefault, type ReadSession as SharedSession } from '../reading/session.ts'
import type { Connection } from './connection.ts'

/**
 * A reading connection with its snapshot. The first read of a turn of the event loop begins a transaction, and the end
 * of the turn ends it. All reads of a turn see one state of the index, and a request pays next to nothing for it. No
 * snapshot is held across turns, which would keep the write-ahead log from being emptied.
 */
export interface ReadSession extends SharedSession {
  readonly connection: Connection
  readonly schemas: RecentMap<number, SchemaReference>
  /** To be called first by every read. */
  begin(): void
  close(): void
}

/** Schemas remembered: a page names ten, and looking each up costs as much as the record that names it. */
const schemasMax = 65_536

/**
 * A session over a connection, which it closes with itself. `whole`: its first read begins a snapshot that is held to
 * the end of the session instead of the turn's.
 */
export function createReadSession(
  connection: Connection,
  held: 'turn' | 'whole' = 'turn',
  lookupsMax = lookupsMaxDefault,
): ReadSession {
  const rankThreshold =
    connection.statement<[number]>('SELECT rank_threshold FROM index_state').get()?.[0] ?? 0
  const beginning = connection.statement('BEGIN')
  const ending = connection.statement('COMMIT')
  const state = connection.statement<[number, number, number]>(
    'SELECT version, attestation_count, schema_count FROM index_state',
  )
  let inTurn = false

  function begin(): void {
    if (inTurn) return
    beginning.run()
    inTurn = true
    if (held === 'turn') setImmediate(end)
    const row = state.get()
    if (row === undefined) throw new Error('the database has no row of its state')
    const [version, attestationCount, schemaCount] = row
    if (version !== session.snapshot.version) {
      session.memo = createReadMemo()
      session.schemas = createRecentMap(schemasMax)
    }
    session.snapshot = { version, attestationCount, schemaCount }
  }

  function end(): void {
    if (!inTurn) return
    inTurn = false
    try {
      ending.run()
    } catch {
      // The transaction has ended nevertheless: SQLite repeats the failure of a read, which the read has thrown
      // already.
    }
  }

  const session: Mutable<ReadSession> = {
    connection,
    rankThreshold,
    lookupsMax,
    snapshot: { version: -1, attestationCount: 0, schemaCount: 0 },
    schemas: createRecentMap(schemasMax),
    cut: null,
    memo: createReadMemo(),
    hours: new Map(),
    begin,
    close: () => {
      end()
      connection.close()
    },
  }
  return session
}

type Mutable<Session> = { -readonly [Key in keyof Session]: Session[Key] }
