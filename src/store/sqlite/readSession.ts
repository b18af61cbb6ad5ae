import type { SchemaReference, StoredSchema } from '../indexReader.ts'
import type { HourTerms } from '../layout/trendingScores.ts'
import type { Connection } from './connection.ts'

/**
 * A reading connection with its snapshot. The first read of a turn of the event loop begins a transaction, and the end
 * of the turn ends it: all reads of a turn see one state of the index, a request pays next to nothing for it, and no
 * snapshot is held across turns, which would keep the write-ahead log from being emptied.
 */
export interface ReadSession {
  readonly connection: Connection
  readonly rankThreshold: number
  /** Rows that one keyword may have looked at one by one. */
  readonly lookupsMax: number
  /** The version of the snapshot, and the totals that belong to it. */
  readonly snapshot: Snapshot
  /** What reads have remembered; emptied when the version moves. */
  readonly memo: ReadMemo
  /** The hours that trending counts, kept across versions; see `HourTerms`. */
  readonly hours: Map<number, HourTerms>
  /** To be called first by every read. */
  begin(): void
  close(): void
}

export interface Snapshot {
  version: number
  attestationCount: number
  schemaCount: number
}

export interface ReadMemo {
  /** Nodes of rank trees. */
  readonly nodes: Map<string, Uint32Array>
  /** What rows of attestations say of their schemas, by the schema's row id. */
  readonly schemas: Map<number, SchemaReference>
  /** What trends, by how many were asked for. */
  readonly trending: Map<number, readonly StoredSchema[]>
}

/** About a fifth of a second's work. */
const lookupsMaxDefault = 200_000

/** Nodes remembered; one is at most 512 bytes. */
const nodesMax = 8_192
/** Schemas remembered: a page names ten, and looking each up costs as much as the record that names it. */
const schemasMax = 65_536

/**
 * A session over a connection, which it closes with itself. `whole`: its first read begins a snapshot that is held to the
 * end of the session instead of the turn's.
 */
export function createReadSession(
  connection: Connection,
  held: 'turn' | 'whole' = 'turn',
  lookupsMax = lookupsMaxDefault,
): ReadSession {
  const rankThreshold =
    connection.statement<[number]>('SELECT rank_threshold FROM index_state').get()?.[0] ?? 0
  const snapshot: Snapshot = { version: -1, attestationCount: 0, schemaCount: 0 }
  const memo: ReadMemo = { nodes: new Map(), schemas: new Map(), trending: new Map() }
  let inTurn = false

  function begin(): void {
    if (inTurn) return
    connection.statement('BEGIN').run()
    inTurn = true
    if (held === 'turn') setImmediate(end)
    const row = connection
      .statement<[number, number, number]>('SELECT version, attestation_count, schema_count FROM index_state')
      .get()
    if (row === undefined) throw new Error('the database has no row of its state')
    const moved = row[0] !== snapshot.version
    snapshot.version = row[0]
    snapshot.attestationCount = row[1]
    snapshot.schemaCount = row[2]
    if (moved || memo.nodes.size > nodesMax) memo.nodes.clear()
    if (moved || memo.schemas.size > schemasMax) memo.schemas.clear()
    if (moved) memo.trending.clear()
  }

  function end(): void {
    if (!inTurn) return
    inTurn = false
    connection.statement('COMMIT').run()
  }

  return {
    connection,
    rankThreshold,
    lookupsMax,
    snapshot,
    memo,
    hours: new Map(),
    begin,
    close: () => {
      end()
      connection.close()
    },
  }
}
