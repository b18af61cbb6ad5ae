import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import type { SchemaReference } from '@attestry/core/index/storedRecords.ts'
import type { HourTerms } from '../layout/trendingScores.ts'
import {
  createReadMemo,
  lookupsMaxDefault,
  type ReadMemo,
  type ReadPlans,
  type ReadSession as SharedSession,
  type StatementSession,
} from '../reading/session.ts'
import type { Connection } from './connection.ts'
import type { Settings } from './sessionSettings.ts'

/** A read-only transaction. */
export interface ReadSession extends SharedSession {
  readonly connection: Connection
}

/** The memory that the sessions of one reader share, of one epoch of `watchVersion`. */
export interface SharedMemo {
  version: number
  ofVersion: ReadMemo
  hours: Map<number, HourTerms>
}

export function createSharedMemo(): SharedMemo {
  return { version: -1, ofVersion: createReadMemo(), hours: new Map() }
}

/** Statements join the schemas of attestations: none is remembered. */
const noSchemas = createRecentMap<number, SchemaReference>(1)

/** A read, and how its statements are planned. */
export interface SnapshotRead<Result> {
  readonly work: (session: ReadSession) => Promise<Result>
  readonly plans: ReadPlans
}

/**
 * The settings of `kept`, which a session begins with: a statement that stands by itself finds rows by their keys.
 * Plans are kept beyond what a table was like when they were made, and an empty one would be read from end to end.
 */
export const keptPlans = { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }

/** For how many attestations the statements of a connection were planned, about. */
const plannedFor = new WeakMap<Connection, number>()

/** A plan holds until there are so many times as many, and as many more as any plan passes over in no time. */
const plannedGrowth = { times: 10, rows: 1_000 }

/**
 * Discards the plans of a connection once the index has grown tenfold. The server keeps the plan of an empty table
 * until it has analysed the full one, a minute or more after a backfill.
 */
function renewPlans(connection: Connection, attestationCount: number): void {
  const planned = plannedFor.get(connection)
  if (planned !== undefined && attestationCount <= planned * plannedGrowth.times + plannedGrowth.rows) return
  plannedFor.set(connection, attestationCount)
  // If this fails, so does the next statement, which reports the error.
  if (planned !== undefined) connection.exec('DISCARD PLANS').catch(() => undefined)
}

/** Transactions that see one state of the index. */
export const oneState = 'ISOLATION LEVEL REPEATABLE READ READ ONLY'

const settingsOf: Readonly<Record<ReadPlans, Settings>> = {
  kept: {},
  byValues: { plan_cache_mode: 'auto', enable_seqscan: 'on' },
}

/** The session of a read that takes one statement, which sees one state of the index by itself. */
export function statementSession(connection: Connection): StatementSession {
  return { connection, schemas: noSchemas, cut: null }
}

/**
 * Runs a read in a transaction that sees one state of the index. Its `BEGIN` travels with its first statement, and its
 * end is not waited for: the next statement on the connection follows it.
 */
export async function inSnapshot<Result>(
  connection: Connection,
  memo: SharedMemo,
  { work, plans }: SnapshotRead<Result>,
): Promise<Result> {
  const [, state] = await Promise.all([
    connection.begin(oneState, settingsOf[plans]),
    connection.get<[number, number, number, number]>(
      'SELECT version, attestation_count, schema_count, rank_threshold FROM index_state',
    ),
  ])
  try {
    if (state === undefined) throw new Error('the database has no row of its state')
    const [version, attestationCount, schemaCount, rankThreshold] = state
    renewPlans(connection, attestationCount)
    return await work({
      connection,
      schemas: noSchemas,
      cut: null,
      rankThreshold,
      lookupsMax: lookupsMaxDefault,
      snapshot: { version, attestationCount, schemaCount },
      memo: memoOf(memo, version),
      hours: memo.hours,
    })
  } finally {
    // If this fails, the connection is lost, and its next statement reports the error.
    connection.exec('COMMIT').catch(() => undefined)
  }
}

/** Reads of several versions may run at once; what those of the newest have found out is what is remembered. */
function memoOf(memo: SharedMemo, version: number): ReadMemo {
  if (version < memo.version) return createReadMemo()
  if (version > memo.version) {
    memo.version = version
    memo.ofVersion = createReadMemo()
  }
  return memo.ofVersion
}
