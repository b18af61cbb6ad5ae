import { everyDay, type ChangeJournal, type IndexQueries } from '../indexQueries.ts'
import type { ExportOptions, IndexReader } from '../indexReader.ts'
import { findEvent } from '../reading/findEvent.ts'
import { listChains } from '../reading/listChains.ts'
import { exportLines } from '../transfer/exportLines.ts'
import {
  listActivity,
  listAnchors,
  listProtocolDays,
  listTopAttesters,
  listTotals,
} from '../reading/activity.ts'
import { addressStatistics, findAddress, listAttestationsOfAddress } from '../reading/addressLists.ts'
import { openConnection, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import {
  listAttestationsByKeyword,
  listSummariesByKeyword,
  searchAttestations,
} from '../reading/keywordAttestations.ts'
import { listSchemasByKeyword, searchSchemas } from '../reading/keywordSchemas.ts'
import { listAttestations, listAttestationSummaries } from '../reading/listAttestations.ts'
import { listSchemas, listSchemasOfRegistrant, listTopSchemas } from '../reading/listSchemas.ts'
import { checkLayout } from './migratePostgres.ts'
import type { CountBudget } from '../reading/countRows.ts'
import { createQueryCounts, type FindCount } from '../reading/queryCounts.ts'
import { countWithin } from './countWithin.ts'
import { findNewestChange, listChanges } from '../reading/readJournal.ts'
import { createReadPool, type ReadPool } from './readPool.ts'
import {
  createSharedMemo,
  inSnapshot,
  keptPlans,
  statementSession,
  type ReadSession,
  type SnapshotRead,
} from './readSession.ts'
import { createReplicaReads } from './replicaReads.ts'
import { searchAddresses } from '../reading/searchAddresses.ts'
import { sliceAttestations } from '../reading/sliceAttestations.ts'
import { sliceSchemas } from '../reading/sliceSchemas.ts'
import { createStatementTexts } from './statementTexts.ts'
import { findAttestation, findAttestations } from '../reading/storedAttestation.ts'
import { findSchema, findSchemas } from '../reading/storedSchema.ts'
import { translatePostgresError } from './translatePostgresError.ts'
import { listTrendingSchemas } from '../reading/trending.ts'
import { watchVersion } from './watchVersion.ts'

export interface PostgresReaderOptions {
  /** URLs of streaming replicas of the same database, which reads are spread over. */
  readonly replicas?: readonly string[]
  /** Connections that reads take turns on, beside one for the version, two for long counts, and one for each export. */
  readonly connectionsMax?: number
  /** How long a statement may take. */
  readonly statementTimeoutMs?: number
  /** How many rows a slice may pass over before it ends early. */
  readonly sliceRowsMax?: number
  /** How many rows may be counted for one total, and for how long. */
  readonly countRowsMax?: number
  readonly countDurationMaxMs?: number
  /** How many of them are counted like any other read. */
  readonly countAtOnceMax?: number
}

const connectTimeoutMs = 5_000
const waitMaxMs = 5_000
/** The primary is asked instead of a replica that takes longer. */
const replicaWaitMs = 1_000

/** What the server gets to end a statement that takes too long, before it is taken to be gone itself. */
const answerGraceMs = 2_000

/**
 * Settings of every session that reads: walks of indexes need neither compiled expressions nor helpers, and are not to be given up for
 * a table read from end to end because the server reckons with a spinning disk.
 */
const walkSettings = {
  default_transaction_read_only: 'on',
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  random_page_cost: 1.1,
}

/** Those of sessions that read a few rows at a time: a page is not to be taken for a tenth of the rows, and joined with the whole table. */
const pageSettings = { ...walkSettings, ...keptPlans, enable_hashjoin: 'off', enable_mergejoin: 'off' }

/**
 * Reads from the database at `url`, which `migratePostgres` has brought up to date. Where it has replicas, each read is made by one that
 * is in the very state in which the primary was last seen by `indexVersion`, or else by the primary: what follows a call of that is
 * never older than what it answered, whoever is asked. Connections come about when they are needed: a
 * server that is away makes reads fail with a `StoreUnavailableError`, and nothing else; when it is back, they answer again.
 */
export function openPostgresReader(
  url: string,
  options: PostgresReaderOptions = {},
): IndexReader & IndexQueries & ChangeJournal {
  const place = databasePlace(url)
  const statementTimeoutMs = options.statementTimeoutMs ?? 10_000
  const sliceRowsMax = options.sliceRowsMax ?? 20_000
  const statements = createStatementTexts()
  const memo = createSharedMemo()

  /** `timeoutMs` null: for an export, which takes as long as it takes and reads all there is. */
  async function open(
    timeoutMs: number | null,
    from = url,
    connectMs = connectTimeoutMs,
  ): Promise<Connection> {
    const connection = await openConnection({
      url: from,
      applicationName: 'attestry reader',
      settings: { ...(timeoutMs === null ? walkSettings : pageSettings), statement_timeout: timeoutMs ?? 0 },
      statements,
      isPipelined: true,
      connectTimeoutMs: connectMs,
      answerTimeoutMs: timeoutMs === null ? null : timeoutMs + answerGraceMs,
    })
    try {
      await checkLayout(connection, databasePlace(from))
      return connection
    } catch (error) {
      await connection.close()
      throw error
    }
  }

  const openTimed = () => open(statementTimeoutMs)
  const connectionsMax = options.connectionsMax ?? 8
  const pool = createReadPool({ open: openTimed, connectionsMax, waitMaxMs })
  // Long counts wait for one another rather than keep all others waiting.
  const longPool = createReadPool({ open: openTimed, connectionsMax: 2, waitMaxMs: 30_000 })
  const version = watchVersion(openTimed)
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
  const exporting = new Set<Connection>()

  async function translated<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  /** A read by a replica that is in the state that was seen last, or else by the primary. */
  async function spread<Result>(
    read: SnapshotRead<Result>,
    otherwise: () => Promise<Result>,
  ): Promise<Result> {
    const state = version.latest()
    const answer = state === null ? null : await replicas.tryRead(state, read)
    return answer === null ? await otherwise() : answer.result
  }

  /** One statement sees one state of the index by itself. */
  function readOnce<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return translated(() =>
      spread({ work: ({ connection }) => work(connection), plans: 'kept' }, () => pool.use(work)),
    )
  }

  function readFrom<Result>(from: ReadPool, read: SnapshotRead<Result>): Promise<Result> {
    return translated(() => spread(read, () => from.use((connection) => inSnapshot(connection, memo, read))))
  }

  function read<Result>(work: (session: ReadSession) => Promise<Result>): Promise<Result> {
    return readFrom(pool, { work, plans: 'byValues' })
  }

  /** Every statement of it has one index that it is to be answered by. */
  function readList<Result>(work: (session: ReadSession) => Promise<Result>): Promise<Result> {
    return readFrom(pool, { work, plans: 'kept' })
  }

  /** What must not be older than what the writer has told of otherwise than by the version. */
  function readPrimary<Result>(work: (connection: Connection) => Promise<Result>): Promise<Result> {
    return translated(() => pool.use(work))
  }

  function countLong(find: FindCount, budget: CountBudget): Promise<number> {
    const work = (session: ReadSession) => countWithin(session, find, budget)
    return readFrom(longPool, { work, plans: 'byValues' })
  }

  const counts = createQueryCounts(
    { run: read, countLong },
    {
      rowsMax: options.countRowsMax ?? 2_000_000,
      durationMaxMs: options.countDurationMaxMs ?? 2_000,
      atOnceMax: options.countAtOnceMax ?? 1_000,
    },
  )

  /** An export holds its snapshot to the end, on a connection of its own. */
  async function* exportFrom(exportOptions: ExportOptions): AsyncGenerator<string> {
    let connection: Connection | null = null
    try {
      connection = await open(null)
      exporting.add(connection)
      await connection.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      yield* exportLines(connection, exportOptions)
    } catch (error) {
      throw translatePostgresError(place, error)
    } finally {
      if (connection !== null) {
        exporting.delete(connection)
        await connection.close()
      }
    }
  }

  return {
    indexVersion: () => translated(() => version.current()),
    findSchema: (key) => readOnce((connection) => findSchema(connection, key)),
    findAttestation: (key) => readOnce((connection) => findAttestation(statementSession(connection), key)),
    listSchemas: ({ keyword, ...page }) =>
      keyword === null
        ? readList((session) => listSchemas(session, page))
        : read((session) => listSchemasByKeyword(session, keyword, page)),
    listAttestations: ({ keyword, ...query }) =>
      keyword === null
        ? readList((session) => listAttestations(session, query))
        : read((session) => listAttestationsByKeyword(session, { ...query, keyword })),
    listAttestationSummaries: ({ keyword, ...query }) =>
      keyword === null
        ? readList((session) => listAttestationSummaries(session, query))
        : read((session) => listSummariesByKeyword(session, { ...query, keyword })),
    listSchemasOfRegistrant: (registrant, page) =>
      read((session) => listSchemasOfRegistrant(session, registrant, page)),
    listAttestationsOfAddress: (query) => read((session) => listAttestationsOfAddress(session, query)),
    listTopSchemas: (limit) => read((session) => listTopSchemas(session, limit)),
    listTrendingSchemas: (limit) => read((session) => listTrendingSchemas(session, limit)),
    addressStatistics: (address) =>
      readOnce(async (connection) => addressStatistics(await findAddress(connection, address))),
    searchSchemas: (keyword, limit) => read((session) => searchSchemas(session, keyword, limit)),
    searchAttestations: (keyword, limit) => read((session) => searchAttestations(session, keyword, limit)),
    searchAddresses: (keyword, limit) => read((session) => searchAddresses(session, keyword, limit)),
    listChains: () => readPrimary((connection) => listChains(connection)),
    findSchemas: (keys) => readOnce((connection) => findSchemas(connection, keys)),
    findAttestations: (keys, fields) =>
      readOnce((connection) => findAttestations(statementSession(connection), keys, fields)),
    sliceAttestations: (request, fields) =>
      read((session) => sliceAttestations(session, request, fields, sliceRowsMax)),
    sliceSchemas: (request) => read(({ connection }) => sliceSchemas(connection, request, sliceRowsMax)),
    countAttestations: (filter) => counts.countAttestations(filter),
    countSchemas: (filter) => counts.countSchemas(filter),
    listTopAttesters: (schema, limit) => read((session) => listTopAttesters(session, schema, limit)),
    listActivity: (subject, span = everyDay) => read((session) => listActivity(session, subject, span)),
    listTotals: () => readOnce((connection) => listTotals(connection)),
    listAnchors: (account) => readOnce((connection) => listAnchors(connection, account)),
    listProtocolDays: (span = everyDay) => readOnce((connection) => listProtocolDays(connection, span)),
    findEvent: (key, event) => read((session) => findEvent(session, key, event)),
    newestChange: () => readPrimary((connection) => findNewestChange(connection)),
    listChanges: (after, limit) =>
      readPrimary((connection) =>
        inSnapshot(connection, memo, {
          work: (session) => listChanges(session, after, limit),
          plans: 'byValues',
        }),
      ),
    exportLines: (exportOptions) => exportFrom(exportOptions ?? {}),
    close: async () => {
      await Promise.all([
        pool.close(),
        longPool.close(),
        version.close(),
        replicas.close(),
        ...[...exporting].map((connection) => connection.close()),
      ])
    },
  }
}
