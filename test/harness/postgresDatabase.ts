import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { databasesOf } from './postgresServer.ts'

/** A database of one test, on the server that all tests share. */
export interface PostgresDatabase {
  readonly url: string
  remove(): Promise<void>
}

export async function createPostgresDatabase(): Promise<PostgresDatabase> {
  const databases = databasesOf(inject('postgresPort'))
  const name = `test_${randomBytes(8).toString('hex')}`
  return { url: await databases.createDatabase(name), remove: () => databases.dropDatabase(name) }
}
