import { openConnection, type Connection } from '@attestry/store/postgres/connection.ts'
import { createStatementTexts } from '@attestry/store/postgres/statementTexts.ts'

/** A connection of the test itself, beside those of the code under test. */
export function openTestConnection(url: string): Promise<Connection> {
  return openConnection({ url, applicationName: 'test', settings: {}, statements: createStatementTexts() })
}

/** Runs `work` with such a connection and closes the connection afterwards, also after an error. */
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
