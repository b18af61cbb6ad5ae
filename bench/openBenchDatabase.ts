import { wings } from '@attestry/attestry/wings.ts'
import { projectionsOf } from '@attestry/host/config/configPart.ts'
import { formatDatabaseMistake, resolveDatabase } from '@attestry/host/config/resolveDatabase.ts'
import type { Database } from '@attestry/host/database.ts'
import { openDatabase } from '@attestry/host/openDatabase.ts'

/** Opens a database by the URL that a configuration would contain, with the projections of the program. */
export async function openBenchDatabase(url: string): Promise<Database> {
  const config = resolveDatabase(url)
  if ('expected' in config) throw new Error(`the database ${formatDatabaseMistake(config, url)}`)
  return await openDatabase({ ...config, projections: projectionsOf(wings) })
}
