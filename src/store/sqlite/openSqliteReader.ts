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
import { openConnection, type Connection, type ConnectionOptions } from './connection.ts'
import {
  listAttestationsByKeyword,
  listSummariesByKeyword,
  searchAttestations,
} from '../reading/keywordAttestations.ts'
import { listSchemasByKeyword, searchSchemas } from '../reading/keywordSchemas.ts'
import { listAttestations, listAttestationSummaries } from '../reading/listAttestations.ts'
import { listSchemas, listSchemasOfRegistrant, listTopSchemas } from '../reading/listSchemas.ts'
import { checkLayout } from './migrateSqlite.ts'
import type { CountBudget } from '../reading/countRows.ts'
import { createQueryCounts, type FindCount } from '../reading/queryCounts.ts'
import { countInSteps } from './countInSteps.ts'
import { createTurnQueue } from './turnQueue.ts'
import { findNewestChange, listChanges } from '../reading/readJournal.ts'
import { createReadSession, type ReadSession } from './readSession.ts'
import { searchAddresses } from '../reading/searchAddresses.ts'
import { sliceAttestations } from '../reading/sliceAttestations.ts'
import { sliceSchemas } from '../reading/sliceSchemas.ts'
import { findAttestation, findAttestations } from '../reading/storedAttestation.ts'
import { findSchema, findSchemas } from '../reading/storedSchema.ts'
import { translateSqliteError, translatingErrors } from './translateSqliteError.ts'
import { listTrendingSchemas } from '../reading/trending.ts'

export interface SqliteReaderOptions {
  /** Memory for pages of the database, in MiB. */
  readonly cacheMib?: number
  /** How many rows a slice may pass over before it ends early. */
  readonly sliceRowsMax?: number
  /** How many rows may be counted for one total, and for how long. */
  readonly countRowsMax?: number
  readonly countDurationMaxMs?: number
  /** How many of them are counted at once; more are counted in steps between which other reads go on. */
  readonly countAtOnceMax?: number
}

/**
 * Opens a reading connection to the database at `path`, which `migrateSqlite` has brought up to date. Each call does all
 * it does synchronously; reads of one turn of the event loop see one state of the index.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteReader(
  path: string,
  options: SqliteReaderOptions = {},
): IndexReader & IndexQueries & ChangeJournal {
  const cacheMib = options.cacheMib ?? 48
  const sliceRowsMax = options.sliceRowsMax ?? 20_000
  const session = translatingErrors(path, () => createReadSession(openReader(path, { cacheMib })))

  const turn = createTurnQueue()
  let isClosed = false

  const counts = createQueryCounts(
    { run: read, countLong },
    {
      rowsMax: options.countRowsMax ?? 2_000_000,
      durationMaxMs: options.countDurationMaxMs ?? 2_000,
      atOnceMax: options.countAtOnceMax ?? 1_000,
    },
  )

  async function read<Result>(work: (session: ReadSession) => Result | Promise<Result>): Promise<Result> {
    try {
      session.begin()
      return await work(session)
    } catch (error) {
      throw translateSqliteError(path, error)
    }
  }

  /** Counts on a connection of its own, whose snapshot is held for as long as the count takes. */
  async function countLong(find: FindCount, budget: CountBudget): Promise<number> {
    await turn()
    const own = createReadSession(openReader(path, { cacheMib: 8 }), 'whole')
    try {
      own.begin()
      const found = await find(own)
      if (typeof found === 'number') return found
      return await countInSteps(own.connection, found, budget, turn, () => isClosed)
    } finally {
      own.close()
    }
  }

  return {
    indexVersion: () => read(({ snapshot }) => snapshot.version),
    findSchema: (key) => read(({ connection }) => findSchema(connection, key)),
    findAttestation: (key) => read(() => findAttestation(session, key)),
    listSchemas: ({ keyword, ...page }) =>
      read(() =>
        keyword === null ? listSchemas(session, page) : listSchemasByKeyword(session, keyword, page),
      ),
    listAttestations: ({ keyword, ...query }) =>
      read(() =>
        keyword === null
          ? listAttestations(session, query)
          : listAttestationsByKeyword(session, { ...query, keyword }),
      ),
    listAttestationSummaries: ({ keyword, ...query }) =>
      read(() =>
        keyword === null
          ? listAttestationSummaries(session, query)
          : listSummariesByKeyword(session, { ...query, keyword }),
      ),
    listSchemasOfRegistrant: (registrant, page) =>
      read(() => listSchemasOfRegistrant(session, registrant, page)),
    listAttestationsOfAddress: (query) => read(() => listAttestationsOfAddress(session, query)),
    listTopSchemas: (limit) => read(() => listTopSchemas(session, limit)),
    listTrendingSchemas: (limit) => read(() => listTrendingSchemas(session, limit)),
    addressStatistics: (address) =>
      read(async ({ connection }) => addressStatistics(await findAddress(connection, address))),
    searchSchemas: (keyword, limit) => read(() => searchSchemas(session, keyword, limit)),
    searchAttestations: (keyword, limit) => read(() => searchAttestations(session, keyword, limit)),
    searchAddresses: (keyword, limit) => read(() => searchAddresses(session, keyword, limit)),
    listChains: () => read(() => listChains(session.connection)),
    findSchemas: (keys) => read(({ connection }) => findSchemas(connection, keys)),
    findAttestations: (keys, fields) => read(() => findAttestations(session, keys, fields)),
    sliceAttestations: (request, fields) =>
      read(() => sliceAttestations(session, request, fields, sliceRowsMax)),
    sliceSchemas: (request) => read(({ connection }) => sliceSchemas(connection, request, sliceRowsMax)),
    countAttestations: (filter) => translatingRejection(path, () => counts.countAttestations(filter)),
    countSchemas: (filter) => translatingRejection(path, () => counts.countSchemas(filter)),
    listTopAttesters: (schema, limit) => read(() => listTopAttesters(session, schema, limit)),
    listActivity: (subject, span = everyDay) => read(() => listActivity(session, subject, span)),
    listTotals: () => read(({ connection }) => listTotals(connection)),
    listAnchors: (account) => read(({ connection }) => listAnchors(connection, account)),
    listProtocolDays: (span = everyDay) => read(({ connection }) => listProtocolDays(connection, span)),
    findEvent: (key, event) => read(() => findEvent(session, key, event)),
    newestChange: () => read(({ connection }) => findNewestChange(connection)),
    listChanges: (after, limit) => read(() => listChanges(session, after, limit)),
    exportLines: (exportOptions) => exportFrom(path, exportOptions ?? {}),
    close: () => {
      isClosed = true
      try {
        translatingErrors(path, () => session.close())
        return Promise.resolve()
      } catch (error) {
        return Promise.reject(error)
      }
    },
  }
}

/** A promise whose rejection is one of our errors. */
async function translatingRejection<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw translateSqliteError(path, error)
  }
}

function openReader(path: string, memory: Omit<ConnectionOptions, 'readOnly'>): Connection {
  const connection = openConnection(path, { readOnly: true, ...memory })
  try {
    checkLayout(connection, path)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** An export holds its snapshot to the end, on a connection of its own, so that other reads go on moving. */
async function* exportFrom(path: string, options: ExportOptions): AsyncGenerator<string> {
  let connection: Connection | null = null
  try {
    connection = openReader(path, { cacheMib: 16, mapMib: 0 })
    connection.exec('BEGIN')
    yield* exportLines(connection, options)
  } catch (error) {
    throw translateSqliteError(path, error)
  } finally {
    connection?.close()
  }
}
