import type { SchemaReference, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { createRecentMap, type RecentMap } from '@attestry/core/model/recentMap.ts'
import type { HourTerms } from '../layout/trendingScores.ts'
import type { Reads } from '../port/reads.ts'
import type { Cut } from './cut.ts'

/** The part of a session that a read of one statement needs: one statement sees one state of the index by itself. */
export interface StatementSession {
  readonly connection: Reads
  /** The schemas that attestations name, by row id, as far as they are remembered; see `Dialect.joinsSchemas`. */
  readonly schemas: RecentMap<number, SchemaReference>
  /** The end of the index for this read; null: it reads the newest state. */
  readonly cut: Cut | null
}

/** One state of the index, for as long as one answer takes to be read. */
export interface ReadSession extends StatementSession {
  /** Lists of more entries have a rank tree (docs/adr/0002). */
  readonly rankThreshold: number
  /** Rows that one keyword may have looked at one by one. */
  readonly lookupsMax: number
  readonly snapshot: Snapshot
  /** Results that reads of this version remember. */
  readonly memo: ReadMemo
  /** The hours that trending counts, kept across versions; see `HourTerms`. */
  readonly hours: Map<number, HourTerms>
}

/** A session whose reads end at a moment. */
export interface PastSession extends ReadSession {
  readonly cut: Cut
}

/**
 * The ways in which a server plans the statements of a read. `kept`: once for each connection, for reads whose
 * statements can be answered by only one index, whatever the parameters (docs/adr/0017). `byValues`: as the server sees
 * fit, anew if the best index depends on the parameters.
 */
export type ReadPlans = 'kept' | 'byValues'

/** The version of the index that a session sees, and the totals of that version. */
export interface Snapshot {
  readonly version: number
  readonly attestationCount: number
  readonly schemaCount: number
}

/** Results that the reads of one version remember. */
export interface ReadMemo {
  /** Nodes of rank trees. */
  readonly nodes: RecentMap<string, Uint32Array>
  /** The trending schemas, by how many were asked for; concurrent reads share the one that finds them. */
  readonly trending: Map<number, Promise<readonly StoredSchema[]>>
  /** The most attested schemas, in the same way. */
  readonly top: Map<number, Promise<readonly StoredSchema[]>>
  /** How many schemas an address resolves without having registered them, by its row id, if they are many. */
  readonly resolved: RecentMap<number, number>
  /** All chains, by chain id. */
  readonly chains: Map<'all', Promise<readonly KnownChain[]>>
}

/** Nodes of rank trees that the reads of a version remember: at most 512 bytes each. */
const nodesMax = 8_192

/** Addresses that resolve many schemas. */
const resolvedMax = 1_024

/** About a fifth of a second's work. */
export const lookupsMaxDefault = 200_000

export function createReadMemo(): ReadMemo {
  return {
    nodes: createRecentMap(nodesMax),
    trending: new Map(),
    top: new Map(),
    resolved: createRecentMap(resolvedMax),
    chains: new Map(),
  }
}

/** Returns the value remembered under a key, or else the one that `find` finds; concurrent callers share one search. */
export async function findOnce<Key, Value>(
  memo: Map<Key, Promise<Value>>,
  key: Key,
  find: () => Promise<Value>,
): Promise<Value> {
  const known = memo.get(key)
  if (known !== undefined) {
    try {
      return await known
    } catch {
      // A caller does not share the failure of a search that ran on another connection.
    }
  }
  const found = find()
  memo.set(key, found)
  try {
    return await found
  } catch (error) {
    memo.delete(key)
    throw error
  }
}
