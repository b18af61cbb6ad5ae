import { takeTurn } from '@attestry/core/model/threadTurns.ts'
import { createPace } from '../reading/createPace.ts'
import { openIndexReader, type ReadBounds, type StoreReader } from '../reading/openIndexReader.ts'
import type { ReadSessions } from '../reading/readSessions.ts'
import type { ReadSession } from '../reading/session.ts'
import { tooMuchWork } from '../reading/tallyRows.ts'
import { openConnection, type Connection, type ConnectionOptions } from './connection.ts'
import { checkDatabase } from './migrateSqlite.ts'
import { createReadSession } from './readSession.ts'
import { translateSqliteError, translatingErrors, withOwnErrors } from './translateSqliteError.ts'

/**
 * Opens a reading connection to the database at `path`, which `migrateSqlite` has brought up to date. Each call does
 * all it does synchronously; reads of one turn of the event loop see one state of the index.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteReader(path: string, bounds: ReadBounds = {}): StoreReader {
  const openReader = (memory: Omit<ConnectionOptions, 'readOnly'>) =>
    openConnection(path, { readOnly: true, ...memory }, (connection) =>
      checkDatabase(connection, path, bounds.projections),
    )
  const session = translatingErrors(path, () => createReadSession(openReader({ cacheMib: 48 })))

  let isClosed = false

  async function read<Result>(work: (session: ReadSession) => Promise<Result>): Promise<Result> {
    try {
      session.begin()
      return await work(session)
    } catch (error) {
      throw translateSqliteError(path, error)
    }
  }

  const sessions: ReadSessions = {
    indexVersion: async () =>
      translatingErrors(path, () => {
        session.begin()
        return session.snapshot.version
      }),
    readOnce: read,
    read: (_plans, work) => read(work),
    // On a connection of its own, whose snapshot is held for as long as the count takes.
    countLong: (work, budget, turn = takeTurn) =>
      withOwnErrors(path, async () => {
        await turn()
        const own = createReadSession(openReader({ cacheMib: 8 }), 'whole')
        try {
          own.begin()
          const pace = createPace(budget, { turn, isClosed: () => isClosed })
          const counted = await work(own, { rowsMax: budget.rowsMax, pace })
          if (counted === null) throw tooMuchWork(budget)
          return counted.result
        } finally {
          own.close()
        }
      }),
    turn: takeTurn,
    async *stream(work) {
      let connection: Connection | null = null
      try {
        connection = openReader({ cacheMib: 16, mapMib: 0 })
        connection.exec('BEGIN')
        yield* work(connection)
      } catch (error) {
        throw translateSqliteError(path, error)
      } finally {
        connection?.close()
      }
    },
    close: () =>
      withOwnErrors(path, async () => {
        isClosed = true
        session.close()
      }),
  }
  return openIndexReader(sessions, bounds)
}
