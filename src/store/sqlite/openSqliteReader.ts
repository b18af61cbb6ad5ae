import type { ChangeJournal } from '../indexQueries.ts'
import type { IndexReader } from '../indexReader.ts'
import { addressStatistics, findAddress, listAttestationsOfAddress } from './addressLists.ts'
import { openConnection, type Connection } from './connection.ts'
import { exportLines } from './exportLines.ts'
import { searchAttestations } from './keywordAttestations.ts'
import { searchSchemas } from './keywordSchemas.ts'
import { listAttestations, listAttestationSummaries } from './listAttestations.ts'
import { listChains } from './listChains.ts'
import { listSchemas, listSchemasOfRegistrant, listTopSchemas } from './listSchemas.ts'
import { checkLayout } from './migrateSqlite.ts'
import { findNewestChange, listChanges } from './readJournal.ts'
import { createReadSession, type ReadSession } from './readSession.ts'
import { searchAddresses } from './searchAddresses.ts'
import { findAttestation } from './storedAttestation.ts'
import { findSchema } from './storedSchema.ts'
import { translateSqliteError, translatingErrors } from './translateSqliteError.ts'
import { listTrendingSchemas } from './trending.ts'

export interface SqliteReaderOptions {
  /** Memory for pages of the database, in MiB. */
  readonly cacheMib?: number
}

/**
 * Opens a reading connection to the database at `path`, which `migrateSqlite` has brought up to date. Each call does all
 * it does synchronously; reads of one turn of the event loop see one state of the index.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteReader(
  path: string,
  options: SqliteReaderOptions = {},
): IndexReader & ChangeJournal {
  const cacheMib = options.cacheMib ?? 64
  const session = translatingErrors(path, () => createReadSession(openReader(path, cacheMib)))

  function read<Result>(work: (session: ReadSession) => Result): Promise<Result> {
    try {
      session.begin()
      return Promise.resolve(work(session))
    } catch (error) {
      return Promise.reject(translateSqliteError(path, error))
    }
  }

  return {
    indexVersion: () => read(({ snapshot }) => snapshot.version),
    findSchema: (key) => read(() => findSchema(session, key)),
    findAttestation: (key) => read(() => findAttestation(session, key)),
    listSchemas: (query) => read(() => listSchemas(session, query)),
    listAttestations: (query) => read(() => listAttestations(session, query)),
    listAttestationSummaries: (query) => read(() => listAttestationSummaries(session, query)),
    listSchemasOfRegistrant: (registrant, page) =>
      read(() => listSchemasOfRegistrant(session, registrant, page)),
    listAttestationsOfAddress: (query) => read(() => listAttestationsOfAddress(session, query)),
    listTopSchemas: (limit) => read(() => listTopSchemas(session, limit)),
    listTrendingSchemas: (limit) => read(() => listTrendingSchemas(session, limit)),
    addressStatistics: (address) => read(() => addressStatistics(findAddress(session, address))),
    searchSchemas: (keyword, limit) => read(() => searchSchemas(session, keyword, limit)),
    searchAttestations: (keyword, limit) => read(() => searchAttestations(session, keyword, limit)),
    searchAddresses: (keyword, limit) => read(() => searchAddresses(session, keyword, limit)),
    listChains: () => read(() => listChains(session)),
    newestChange: () => read(() => findNewestChange(session)),
    listChanges: (after, limit) => read(() => listChanges(session, after, limit)),
    exportLines: (exportOptions) => exportFrom(path, exportOptions?.times ?? true),
    close: () => {
      try {
        translatingErrors(path, () => session.close())
        return Promise.resolve()
      } catch (error) {
        return Promise.reject(error)
      }
    },
  }
}

function openReader(path: string, cacheMib: number): Connection {
  const connection = openConnection(path, { readOnly: true, cacheMib })
  try {
    checkLayout(connection, path)
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** An export holds its snapshot to the end, on a connection of its own, so that other reads go on moving. */
async function* exportFrom(path: string, times: boolean): AsyncGenerator<string> {
  let connection: Connection | null = null
  try {
    connection = openReader(path, 16)
    yield* exportLines(connection, times)
  } catch (error) {
    throw translateSqliteError(path, error)
  } finally {
    connection?.close()
  }
}
