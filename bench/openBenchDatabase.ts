import { formatDatabaseMistake, resolveDatabase } from '../src/cli/config/resolveDatabase.ts'
import type { Database } from '../src/cli/database.ts'
import { openDatabase } from '../src/cli/openDatabase.ts'

/** Opens a database by the URL that a configuration would contain. */
export async function openBenchDatabase(url: string): Promise<Database> {
  const config = resolveDatabase(url)
  if ('expected' in config) throw new Error(`the database ${formatDatabaseMistake(config, url)}`)
  return await openDatabase(config)
}
