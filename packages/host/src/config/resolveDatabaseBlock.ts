import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import { databaseDefault, type ConfigFile } from './configSchema.ts'
import { describeUrl, type KeyPath } from './describeValue.ts'
import type { Environment } from './interpolateVariables.ts'
import { MistakeFound } from './mistakes.ts'
import { formatDatabaseMistake, resolveDatabase, type DatabaseConfig } from './resolveDatabase.ts'

type DatabaseKey = ConfigFile['database']

/**
 * Resolves the key `database`, a text or a block; `DATABASE_URL` overrides its URL. `raw` holds the value before
 * environment variables were substituted.
 * @throws MistakeFound
 * @throws ConfigError for a mistake in `DATABASE_URL`
 */
export function resolveDatabaseBlock(
  value: DatabaseKey,
  raw: DatabaseKey,
  environment: Environment,
): DatabaseConfig {
  const own = blockOf(value)
  const rawOwn = blockOf(raw)
  const overriding = resolveDatabaseVariable(environment)
  const urlPath = typeof value === 'object' ? ['database', 'url'] : ['database']
  return overriding ?? resolveDatabaseKey(own.url, rawOwn.url, urlPath)
}

function blockOf(key: DatabaseKey): { readonly url?: string } {
  if (typeof key === 'object') return key
  return key === undefined ? {} : { url: key }
}

function resolveDatabaseKey(
  url = databaseDefault,
  raw = databaseDefault,
  path: KeyPath = ['database'],
): DatabaseConfig {
  const resolved = resolveDatabase(url)
  if ('expected' in resolved) throw MistakeFound.at(path, formatDatabaseMistake(resolved, describeUrl(raw)))
  return resolved
}

function resolveDatabaseVariable(environment: Environment): DatabaseConfig | null {
  const url = environment['DATABASE_URL']
  if (url === undefined || url === '') return null
  const resolved = resolveDatabase(url)
  if ('expected' in resolved) {
    throw new ConfigError(
      `The environment variable DATABASE_URL ${formatDatabaseMistake(resolved, 'a value that is not shown')}`,
    )
  }
  return resolved
}
