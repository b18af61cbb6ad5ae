import type { BesideDatabase, BesideLayout } from '../store/beside/besideDatabase.ts'
import { openPostgresBeside } from '../store/beside/openPostgresBeside.ts'
import { besidePath, openSqliteBeside } from '../store/beside/openSqliteBeside.ts'
import type { DatabaseConfig } from './config/resolveDatabase.ts'

/** Tables beside the index of a configuration. */
export function openBeside(database: DatabaseConfig, layout: BesideLayout): BesideDatabase {
  return database.kind === 'sqlite'
    ? openSqliteBeside(besidePath(database.path, layout), layout)
    : openPostgresBeside(database.url, layout)
}
