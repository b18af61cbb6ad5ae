import type { BesideDatabase, BesideLayout } from '@attestry/store/beside/besideDatabase.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'

/**
 * Tables beside the index of a configuration. The client library is loaded here, as `openDatabase` does. Nothing is
 * opened before the first statement.
 */
export async function openBeside(database: DatabaseConfig, layout: BesideLayout): Promise<BesideDatabase> {
  if (database.kind === 'sqlite') {
    const { besidePath, openSqliteBeside } = await import('@attestry/store/beside/openSqliteBeside.ts')
    return openSqliteBeside(besidePath(database.path, layout), layout)
  }
  const { openPostgresBeside } = await import('@attestry/store/beside/openPostgresBeside.ts')
  return openPostgresBeside(database.url, layout)
}
