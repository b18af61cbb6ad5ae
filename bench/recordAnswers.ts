import { projections } from '@attestry/test/harness/projections.ts'
import { serveEas } from '@attestry/subgraphs/eas/serveEas.ts'
import { StatementSync, type SQLInputValue } from 'node:sqlite'
import { createServer } from '@attestry/server/testing/createServer.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { splitRequest } from './httpConnection.ts'

/** A request, the body that answers it, and the statements that read its rows. */
export interface RecordedAnswer {
  readonly request: string
  readonly body: string
  readonly statements: readonly RecordedStatement[]
}

export interface RecordedStatement {
  readonly sql: string
  readonly method: 'all' | 'get'
  readonly parameters: readonly SQLInputValue[]
}

/** Asks the API over an index in SQLite, in this process, for each request once; answers are not kept. */
export async function recordAnswers(
  databasePath: string,
  requests: readonly string[],
): Promise<readonly RecordedAnswer[]> {
  const reader = openSqliteReader(databasePath, { projections })
  const app = createServer({ reader, listFieldPaths, wings: [serveEas()], keptBytesMax: 0 })
  const recorder = startRecorder()
  try {
    const answers: RecordedAnswer[] = []
    for (const request of requests) {
      const { path, body: sent } = splitRequest(request)
      const posted = { headers: { 'content-type': 'application/json' }, payload: sent ?? '' }
      const response = await app.inject(
        sent === null ? { url: path } : { url: path, method: 'POST', ...posted },
      )
      if (response.statusCode !== 200) throw new Error(`${request} was answered with ${response.body}`)
      answers.push({ request, body: response.body, statements: recorder.take() })
    }
    return answers
  } finally {
    recorder.stop()
    await app.close()
    await reader.close()
  }
}

/** The read of the version of the index; with the transaction around it, the price of a consistent answer. */
const versionRead = /FROM index_state$/

/** The methods of a prepared statement, as the store calls them: with parameters by their place. */
type Read = (this: StatementSync, ...parameters: SQLInputValue[]) => unknown

/** Notes which statements this process runs. */
function startRecorder() {
  const prototype = StatementSync.prototype as unknown as Record<RecordedStatement['method'], Read>
  const { all, get } = prototype
  const taken: RecordedStatement[] = []
  const noting = (method: RecordedStatement['method'], read: Read): Read =>
    function (...parameters) {
      const sql = this.sourceSQL
      if (!versionRead.test(sql)) taken.push({ sql, method, parameters })
      return read.apply(this, parameters)
    }
  Object.assign(prototype, { all: noting('all', all), get: noting('get', get) })
  return {
    /** The statements since the last call. */
    take: () => taken.splice(0),
    stop: () => void Object.assign(prototype, { all, get }),
  }
}
