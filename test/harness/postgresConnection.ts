import { openConnection, type Connection } from '../../src/store/postgres/connection.ts'
import { createStatementTexts } from '../../src/store/postgres/statementTexts.ts'

/** A connection of a test's own to a database, beside those of what is tested. */
export function openTestConnection(url: string): Promise<Connection> {
  return openConnection({ url, applicationName: 'test', settings: {}, statements: createStatementTexts() })
}

/** Works on such a connection, and closes it whatever happens. */
export async function withTestConnection<Result>(
  url: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await openTestConnection(url)
  try {
    return await work(connection)
  } finally {
    await connection.close()
  }
}
