import { openIndexReader, type ReadBounds, type StoreReader } from '../reading/openIndexReader.ts'
import type { ReadSessions } from '../reading/readSessions.ts'
import type { StatementSession } from '../reading/session.ts'
import { openConnection, type Connection } from './connection.ts'
import { countWithin } from './countWithin.ts'
import { databasePlace } from './databasePlace.ts'
import { findTransactionPooler } from './findPooler.ts'
import { checkDatabase } from './migratePostgres.ts'
import { createReadPool, type ReadPool } from './readPool.ts'
import {
  createSharedMemo,
  inSnapshot,
  keptPlans,
  oneState,
  statementSession,
  type SnapshotRead,
} from './readSession.ts'
import { createStatementTexts } from './statementTexts.ts'
import { translatePostgresError, withOwnErrors } from './translatePostgresError.ts'
import { watchVersion } from './watchVersion.ts'

export interface PostgresReaderOptions extends ReadBounds {
  /** Connections that reads take turns on, beside one for the version, two for long counts, and one for each export. */
  readonly connectionsMax?: number
  /** How long a statement may take. */
  readonly statementTimeoutMs?: number
}

const connectTimeoutMs = 5_000
const waitMaxMs = 5_000

/** Time that the server gets to end a statement that takes too long, before the server itself is taken for gone. */
const answerGraceMs = 2_000

/**
 * Settings of every session that reads. Walks of indexes need neither JIT nor parallel workers. With the default
 * `random_page_cost`, that of a spinning disk, the planner would prefer sequential scans.
 */
const walkSettings = {
  default_transaction_read_only: 'on',
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1.1,
}

/**
 * Settings of sessions that read pages. Without statistics for `LIMIT ?` the planner assumes a tenth of the rows, and
 * would hash-join the whole table.
 */
const pageSettings = { ...walkSettings, ...keptPlans, enable_hashjoin: 'off', enable_mergejoin: 'off' }

/**
 * Reads from the database at `url`, which `migratePostgres` has brought up to date. A streaming replica is read in its
 * own state. Connections come about when they are needed: a server that is away makes reads fail with a
 * `StoreUnavailableError`, and nothing else; when it is back, they answer again. Behind a pooler in transaction mode
 * every read is a transaction with settings of its own, and no statement has a name.
 */
export function openPostgresReader(url: string, options: PostgresReaderOptions = {}): StoreReader {
  const place = databasePlace(url)
  const { projections } = options
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000
  const named = createStatementTexts()
  const unnamed = createStatementTexts({ named: false })
  const isPooled = once(() => findTransactionPooler(url, connectTimeoutMs))
  const memo = createSharedMemo()

  /** `timeoutMs` null: for an export, which takes as long as it takes and reads all there is. */
  async function open(timeoutMs: number | null): Promise<Connection> {
    const setsByTransaction = await isPooled.ask()
    const options = {
      url,
      applicationName: 'attestry reader',
      settings: { ...(timeoutMs === null ? walkSettings : pageSettings), statement_timeout: timeoutMs ?? 0 },
      setsByTransaction,
      statements: setsByTransaction ? unnamed : named,
      isPipelined: true,
      onForeignSession: isPooled.forget,
      connectTimeoutMs,
      answerTimeoutMs: timeoutMs === null ? null : timeoutMs + answerGraceMs,
    }
    return await openConnection(options, (connection) => checkDatabase(connection, place, projections))
  }

  const openTimed = () => open(statementTimeoutMs)
  const connectionsMax = options.connectionsMax ?? 8
  const pool = createReadPool({ open: openTimed, connectionsMax, waitMaxMs })
  // Long counts wait for one another rather than keep all others waiting.
  const longPool = createReadPool({ open: openTimed, connectionsMax: 2, waitMaxMs: 30_000 })
  const version = watchVersion(openTimed, () => Object.assign(memo, createSharedMemo()))
  const streaming = new Set<Connection>()

  function readFrom<Result>(from: ReadPool, read: SnapshotRead<Result>): Promise<Result> {
    return withOwnErrors(place, () => from.use((connection) => inSnapshot(connection, memo, read)))
  }

  /** A read of one statement, which takes a transaction if the session keeps no settings. */
  async function readAlone<Result>(work: (session: StatementSession) => Promise<Result>): Promise<Result> {
    const isTransaction = await isPooled.ask()
    return await pool.use((connection) =>
      isTransaction
        ? inSnapshot(connection, memo, { work, plans: 'kept' })
        : work(statementSession(connection)),
    )
  }

  const sessions: ReadSessions = {
    indexVersion: () => withOwnErrors(place, () => version.current()),
    readOnce: (work) => withOwnErrors(place, () => readAlone(work)),
    read: (plans, work) => readFrom(pool, { work, plans }),
    // The server computes; this thread waits.
    turn: null,
    countLong: (work, budget, turn) =>
      readFrom(longPool, {
        work: (session) => countWithin(session, (effort) => work(session, effort), budget, turn),
        plans: 'byValues',
      }),
    async *stream(work) {
      let connection: Connection | null = null
      try {
        connection = await open(null)
        streaming.add(connection)
        await connection.begin(oneState)
        yield* work(connection)
      } catch (error) {
        throw translatePostgresError(place, error)
      } finally {
        if (connection !== null) {
          streaming.delete(connection)
          await connection.close()
        }
      }
    },
    close: async () => {
      await Promise.all([
        pool.close(),
        longPool.close(),
        version.close(),
        ...[...streaming].map((connection) => connection.close()),
      ])
    },
  }
  return openIndexReader(sessions, options)
}

interface AskedOnce {
  ask(): Promise<boolean>
  /** The next question is asked again. */
  forget(): void
}

/** Asks once; a question that failed is asked again. */
function once(ask: () => Promise<boolean>): AskedOnce {
  let asked: Promise<boolean> | null = null
  const forget = () => {
    asked = null
  }
  return {
    ask: () => {
      if (asked !== null) return asked
      const answer = ask()
      asked = answer
      answer.catch(forget)
      return answer
    },
    forget,
  }
}
