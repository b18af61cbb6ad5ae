import type { Page, SchemaReference, StoredSchema } from '../indexReader.ts'
import type { HourTerms } from '../layout/trendingScores.ts'
import { readMemoMax } from '../layout/readMemo.ts'
import { createRecentMap, type RecentMap } from '../../model/recentMap.ts'
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
  /** In how many schemas trigrams stand, kept across versions; see `textMatch`. */
  readonly trigrams: TrigramCounts
  /** To be called first by every read. */
  begin(): void
  close(): void
}

export interface Snapshot {
  version: number
  attestationCount: number
  schemaCount: number
}

export interface TrigramCounts {
  readonly counts: RecentMap<string, number>
  /** How many schemas there were when they were counted, about. */
  schemaCount: number
}

export interface ReadMemo {
  /** Nodes of rank trees. */
  readonly nodes: RecentMap<string, Uint32Array>
  /** What rows of attestations say of their schemas, by the schema's row id. */
  readonly schemas: RecentMap<number, SchemaReference>
  /** What trends, by how many were asked for. */
  readonly trending: Map<number, readonly StoredSchema[]>
  /** The most attested schemas, by how many were asked for. */
  readonly top: Map<number, readonly StoredSchema[]>
  /** Pages of keywords that find a great many schemas. */
  readonly heavySchemas: RecentMap<string, Page<StoredSchema>>
  /** How many schemas an address resolves without having registered them, by its row id, where they are many. */
  readonly resolved: RecentMap<number, number>
}

/** About a fifth of a second's work. */
const lookupsMaxDefault = 200_000

/** Schemas remembered: a page names ten, and looking each up costs as much as the record that names it. */
const schemasMax = 65_536
/** Trigrams whose counts are remembered, some 100 bytes each. */
const trigramsMax = 8_192

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
  const memo: ReadMemo = {
    nodes: createRecentMap(readMemoMax.nodes),
    schemas: createRecentMap(schemasMax),
    trending: new Map(),
    top: new Map(),
    heavySchemas: createRecentMap(readMemoMax.heavySchemas),
    resolved: createRecentMap(readMemoMax.resolved),
  }
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
    if (!moved) return
    memo.nodes.clear()
    memo.schemas.clear()
    memo.trending.clear()
    memo.top.clear()
    memo.heavySchemas.clear()
    memo.resolved.clear()
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
    trigrams: { counts: createRecentMap(trigramsMax), schemaCount: 0 },
    begin,
    close: () => {
      end()
      connection.close()
    },
  }
}

/** What is remembered under a key, or else what `find` finds. */
export function findOnce<Key, Value>(memo: Map<Key, Value>, key: Key, find: () => Value): Value {
  const known = memo.get(key)
  if (known !== undefined) return known
  const found = find()
  memo.set(key, found)
  return found
}
