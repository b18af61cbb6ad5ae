import { randomBytes } from 'node:crypto'
import { inject } from 'vitest'
import { databasesOf } from './postgresServer.ts'

/** A database of one test, on the server that all tests share. */
export interface PostgresDatabase {
  readonly name: string
  readonly url: string
  remove(): Promise<void>
}

/** Creates a database, empty or as a copy of another of the same server. */
export async function createPostgresDatabase(template?: string): Promise<PostgresDatabase> {
  const databases = databasesOf(inject('postgresPort'))
  const name = `test_${randomBytes(8).toString('hex')}`
  const url = await databases.createDatabase(name, template)
  return { name, url, remove: () => databases.dropDatabase(name) }
}
