import { StartError } from '@attestry/core/errors/configErrors.ts'
import { StoreIncompatibleError } from '@attestry/core/errors/storeErrors.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'
import type { Database } from './database.ts'
import { openDatabase } from './openDatabase.ts'
import type { ServerCheck } from '@attestry/core/index/serverCheck.ts'
import type { CommandReport } from './standardOutput.ts'

/**
 * Makes sure that the server of a migrated database has what an indexer needs.
 * @throws StoreIncompatibleError with a sentence for each check that failed; StoreUnavailableError.
 */
export async function assertChecked(database: Database): Promise<void> {
  assertNoProblem(database, await database.check())
}

/**
 * Migrates a database that is to be written to. Nothing is written where its connections share sessions.
 * Resolves with a warning for the log, or null.
 * @throws StoreIncompatibleError with a sentence for each check that failed; StoreUnavailableError.
 */
export async function migrateForWriting(database: Database): Promise<string | null> {
  assertNoProblem(database, await database.checkSessions())
  return await database.migrate()
}

function assertNoProblem(database: Database, checks: readonly ServerCheck[]): void {
  const problems = checks.flatMap(({ problem }) => problem ?? [])
  if (problems.length === 0) return
  throw new StoreIncompatibleError(problems.join('; '), { facts: { database: database.place } })
}

/**
 * Migrates a database, and tries what an indexer needs of its server.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export async function runCheckDatabase(config: DatabaseConfig): Promise<CommandReport> {
  const database = await openDatabase(config)
  if (config.kind === 'sqlite') {
    const line = `${database.place} is a SQLite file, without a server to check; attestry verify --offline reads the file`
    return { lines: [line], failure: null }
  }
  const sessions = await database.checkSessions()
  const isMigrated = sessions.every(({ problem }) => problem === null)
  const notice = isMigrated ? await database.migrate() : null
  const checks = isMigrated ? [...sessions, ...(await database.check())] : sessions
  const failed = checks.filter(({ problem }) => problem !== null).length
  return {
    lines: [
      ...(notice === null ? [] : [`note: ${notice}`]),
      ...checks.map(({ name, problem }) => (problem === null ? `ok: ${name}` : `problem: ${problem}`)),
    ],
    failure:
      failed === 0
        ? null
        : new StartError(`The database cannot be indexed into: ${failed} of its checks failed`),
  }
}
