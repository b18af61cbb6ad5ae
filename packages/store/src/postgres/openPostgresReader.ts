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
import { createReplicaReads } from './replicaReads.ts'
import { createStatementTexts } from './statementTexts.ts'
import { translatePostgresError, withOwnErrors } from './translatePostgresError.ts'
import { watchVersion } from './watchVersion.ts'

export interface PostgresReaderOptions extends ReadBounds {
  /** URLs of streaming replicas of the same database, which reads are spread over. */
  readonly replicas?: readonly string[]
  /** Connections that reads take turns on, beside one for the version, two for long counts, and one for each export. */
  readonly connectionsMax?: number
  /** How long a statement may take. */
  readonly statementTimeoutMs?: number
}

const connectTimeoutMs = 5_000
const waitMaxMs = 5_000
/** The primary is asked instead of a replica that takes longer. */
const replicaWaitMs = 1_000

/** What the server gets to end a statement that takes too long, before it is taken to be gone itself. */
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
 * Reads from the database at `url`, which `migratePostgres` has brought up to date. Where it has replicas, each read is
 * made by one that is in the very state in which the primary was last seen by `indexVersion`, or else by the primary:
 * what follows a call of that is never older than what it answered, whoever is asked. Connections come about when they
 * are needed: a server that is away makes reads fail with a `StoreUnavailableError`, and nothing else; when it is back,
 * they answer again. Behind a pooler in transaction mode every read is a transaction with settings of its own, and no
 * statement has a name.
 */
export function openPostgresReader(url: string, options: PostgresReaderOptions = {}): StoreReader {
  const place = databasePlace(url)
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000
  const named = createStatementTexts()
  const unnamed = createStatementTexts({ named: false })
  const isPooled = onceEach((from: string) =>
    findTransactionPooler(from, from === url ? connectTimeoutMs : replicaWaitMs),
  )
  const memo = createSharedMemo()

  /** `timeoutMs` null: for an export, which takes as long as it takes and reads all there is. */
  async function open(
    timeoutMs: number | null,
    from = url,
    connectMs = connectTimeoutMs,
  ): Promise<Connection> {
    const setsByTransaction = await isPooled.ask(from)
    const options = {
      url: from,
      applicationName: 'attestry reader',
      settings: { ...(timeoutMs === null ? walkSettings : pageSettings), statement_timeout: timeoutMs ?? 0 },
      setsByTransaction,
      statements: setsByTransaction ? unnamed : named,
      isPipelined: true,
      onForeignSession: () => isPooled.forget(from),
      connectTimeoutMs: connectMs,
      answerTimeoutMs: timeoutMs === null ? null : timeoutMs + answerGraceMs,
    }
    return await openConnection(options, (connection) => checkDatabase(connection, databasePlace(from)))
  }

  const openTimed = () => open(statementTimeoutMs)
  const connectionsMax = options.connectionsMax ?? 8
  const pool = createReadPool({ open: openTimed, connectionsMax, waitMaxMs })
  // Long counts wait for one another rather than keep all others waiting.
  const longPool = createReadPool({ open: openTimed, connectionsMax: 2, waitMaxMs: 30_000 })
  const version = watchVersion(openTimed, () => Object.assign(memo, createSharedMemo()))
  const replicas = createReplicaReads(
    (options.replicas ?? []).map((from) => ({
      place: databasePlace(from),
      pool: createReadPool({
        open: () => open(statementTimeoutMs, from, replicaWaitMs),
        connectionsMax,
        waitMaxMs: replicaWaitMs,
      }),
    })),
    memo,
  )
  const streaming = new Set<Connection>()

  /** A read by a replica that is in the state that was seen last, or else by the primary. */
  async function spread<Result>(
    read: SnapshotRead<Result>,
    otherwise: () => Promise<Result>,
  ): Promise<Result> {
    const state = version.latest()
    const answer = state === null ? null : await replicas.tryRead(state, read)
    return answer === null ? await otherwise() : answer.result
  }

  function readFrom<Result>(from: ReadPool, read: SnapshotRead<Result>): Promise<Result> {
    return withOwnErrors(place, () =>
      spread(read, () => from.use((connection) => inSnapshot(connection, memo, read))),
    )
  }

  /** A read of one statement, which takes a transaction where the session keeps no settings. */
  async function readAlone<Result>(work: (session: StatementSession) => Promise<Result>): Promise<Result> {
    const isTransaction = await isPooled.ask(url)
    return await pool.use((connection) =>
      isTransaction
        ? inSnapshot(connection, memo, { work, plans: 'kept' })
        : work(statementSession(connection)),
    )
  }

  const sessions: ReadSessions = {
    indexVersion: () => withOwnErrors(place, () => version.current()),
    readOnce: (work) => withOwnErrors(place, () => spread({ work, plans: 'kept' }, () => readAlone(work))),
    read: (plans, work) => readFrom(pool, { work, plans }),
    readNewestOnce: (work) => withOwnErrors(place, () => readAlone(({ connection }) => work(connection))),
    readNewest: (work) =>
      withOwnErrors(place, () =>
        pool.use((connection) => inSnapshot(connection, memo, { work, plans: 'byValues' })),
      ),
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
        replicas.close(),
        ...[...streaming].map((connection) => connection.close()),
      ])
    },
  }
  return openIndexReader(sessions, options)
}

interface AskedOnce {
  ask(key: string): Promise<boolean>
  /** The next question about the key is asked again. */
  forget(key: string): void
}

/** Asks for each key once; a question that failed is asked again. */
function onceEach(ask: (key: string) => Promise<boolean>): AskedOnce {
  const asked = new Map<string, Promise<boolean>>()
  return {
    ask: (key) => {
      const known = asked.get(key)
      if (known !== undefined) return known
      const answer = ask(key)
      asked.set(key, answer)
      answer.catch(() => asked.delete(key))
      return answer
    },
    forget: (key) => void asked.delete(key),
  }
}
