import { readFileSync } from 'node:fs'
import { Type, type TSchema } from 'typebox'
import type { HookConfig } from '../../hooks/hookConfig.ts'
import { journalDefault, type JournalLimits } from '../../store/layout/journal.ts'
import type { FieldSetting } from '../fieldSetting.ts'
import { formatCompositeId, parseCompositeId } from '../../model/compositeId.ts'
import { ConfigError } from '../../errors/configErrors.ts'
import type { RequestLimits } from '../../chain/requestBudget.ts'
import {
  allRequestsDefault,
  createConfigSchema,
  databaseDefault,
  fieldsDefault,
  type ConfigFile,
} from './configSchema.ts'
import { findSchemaMistake, formatMistake, valueAt, type Mistake } from './describeSchemaMistake.ts'
import { describeUrl, type KeyPath } from './describeValue.ts'
import { interpolateVariables, type Environment } from './interpolateVariables.ts'
import { parseConfigText, type ConfigText } from './parseConfigText.ts'
import { MistakeFound, resolveChains, type ChainConfig, type KnownProtocols } from './resolveChains.ts'
import { formatDatabaseMistake, resolveDatabase, type DatabaseConfig } from './resolveDatabase.ts'
import { resolveHooks } from './resolveHooks.ts'
import { resolveServer, type ServerConfig, type ServerFlags } from './resolveServer.ts'

/** A checked configuration with every default filled in. */
export interface Config {
  readonly database: DatabaseConfig
  readonly server: ServerConfig
  /** Limits of all endpoints together. */
  readonly requests: RequestLimits
  readonly chains: readonly ChainConfig[]
  readonly hooks: readonly HookConfig[]
  /** How much of the journal of changes is kept. */
  readonly journal: JournalLimits
  /** The schemas whose decoded fields are indexed. */
  readonly fields: FieldSetting
}

export interface LoadConfigOptions {
  readonly environment: Environment
  readonly known: KnownProtocols
  readonly flags?: ServerFlags
  /**
   * Whether the command sends requests to the endpoints. Otherwise an endpoint whose environment variable is missing is
   * left out, so that commands that only read the index need no API keys.
   */
  readonly endpointsNeeded: boolean
}

/**
 * Reads and checks a configuration file.
 * @throws ConfigError with one sentence about the first mistake to mend. No sentence holds the value of an environment
 * variable, or more of an endpoint's URL than its host.
 */
export function loadConfig(file: string, options: LoadConfigOptions): Config {
  return parseConfig(readConfigFile(file), file, options)
}

/** Parses and checks the text of a configuration file; sentences call it `file`. */
export function parseConfig(text: string, file: string, options: LoadConfigOptions): Config {
  const parsed = parseConfigText(text)
  if (!('value' in parsed)) throw new ConfigError(`${file} line ${parsed.line} ${parsed.text}`)
  if (parsed.value === null) {
    throw new ConfigError(`${file} is empty; it must name at least one chain under chains`)
  }
  try {
    return resolve(parsed.value, options)
  } catch (error) {
    if (!(error instanceof MistakeFound)) throw error
    throw createConfigError(error.mistake, parsed, file)
  }
}

/** The configuration of a command that only reads the index, where there is no file. */
export function configWithoutFile(environment: Environment, flags: ServerFlags = {}): Config {
  return {
    database: resolveDatabaseVariable(environment) ?? resolveDatabaseKey(databaseDefault, databaseDefault),
    server: resolveServer(flags, environment),
    requests: allRequestsDefault,
    chains: [],
    hooks: [],
    journal: journalDefault,
    fields: fieldsDefault,
  }
}

function resolve(
  raw: unknown,
  { environment, known, flags = {}, endpointsNeeded }: LoadConfigOptions,
): Config {
  const { value, mistakes } = interpolateVariables(
    raw,
    environment,
    ([block, , key]) => !endpointsNeeded && (key === 'rpc' || block === 'hooks'),
  )
  // A misspelt key goes before a missing variable in its value.
  const schema = createConfigSchema(known.names)
  const mistake = findSchemaMistake(narrowSchema(schema, value), value, raw) ?? mistakes[0]
  if (mistake !== undefined) throw new MistakeFound(mistake.path, mistake.text)
  const config = value as ConfigFile
  const rawConfig = raw as ConfigFile
  return {
    database: resolveDatabaseBlock(config.database, rawConfig.database, environment),
    server: resolveServer(flags, environment, config.server),
    requests: { ...allRequestsDefault, ...config.requests },
    chains: resolveChains(config.chains, rawConfig.chains, known),
    hooks: resolveHooks(config.hooks ?? [], endpointsNeeded),
    journal: {
      rowsMax: config.journal?.rows ?? journalDefault.rowsMax,
      ageMaxMs:
        config.journal?.hours === undefined ? journalDefault.ageMaxMs : config.journal.hours * 3_600_000,
    },
    fields: resolveFields(config.index?.fields),
  }
}

/**
 * Narrows the unions of `database` and `index.fields` to the forms that the values have, so that a mistake is described
 * against that form.
 */
function narrowSchema(schema: ReturnType<typeof createConfigSchema>, value: unknown): TSchema {
  const given = valueAt(value, ['database'])
  const [text, block] = schema.properties.database.anyOf
  const database = typeof given === 'object' && given !== null ? block : text
  const { index } = schema.properties
  const [word, list] = index.properties.fields.anyOf
  const fields = Array.isArray(valueAt(value, ['index', 'fields'])) ? list : word
  const properties = {
    ...schema.properties,
    database: Type.Optional(database),
    index: Type.Optional({ ...index, properties: { fields: Type.Optional(fields) } }),
  }
  return { ...schema, properties }
}

/** Brings composite ids to the form in which they are compared. */
function resolveFields(value: NonNullable<ConfigFile['index']>['fields'] = fieldsDefault): FieldSetting {
  if (!Array.isArray(value)) return value
  return value.map((id: string, index) => {
    const parsed = parseCompositeId(id)
    if (parsed.kind === 'record') return formatCompositeId(parsed.key)
    throw new MistakeFound(
      ['index', 'fields', index],
      `must be the composite id of a schema as answers print it, but no record has the id ${id}`,
    )
  })
}

type DatabaseKey = ConfigFile['database']

function resolveDatabaseBlock(
  value: DatabaseKey,
  raw: DatabaseKey,
  environment: Environment,
): DatabaseConfig {
  const own = blockOf(value)
  const rawOwn = blockOf(raw)
  const overriding = resolveDatabaseVariable(environment)
  const urlPath = typeof value === 'object' ? ['database', 'url'] : ['database']
  const database = overriding ?? resolveDatabaseKey(own.url, rawOwn.url, urlPath)
  const { replicas = [] } = own
  // `DATABASE_URL` overrides the configured database, so the configured replicas do not apply to a SQLite file.
  if (replicas.length === 0 || overriding?.kind === 'sqlite') return database
  if (database.kind !== 'postgres') {
    throw new MistakeFound(
      ['database', 'replicas'],
      'must be left out: only a PostgreSQL database has replicas',
    )
  }
  for (const [index, url] of replicas.entries()) {
    const path = ['database', 'replicas', index]
    if (resolveDatabaseKey(url, rawOwn.replicas?.[index], path).kind === 'postgres') continue
    throw new MistakeFound(path, 'must be a replica of the PostgreSQL database, but is a SQLite database')
  }
  return { ...database, replicas }
}

function blockOf(key: DatabaseKey): {
  readonly url?: string
  readonly replicas?: readonly string[]
} {
  if (typeof key === 'object') return key
  return key === undefined ? {} : { url: key }
}

function resolveDatabaseKey(
  url = databaseDefault,
  raw = databaseDefault,
  path: KeyPath = ['database'],
): DatabaseConfig {
  const resolved = resolveDatabase(url)
  if ('expected' in resolved) throw new MistakeFound(path, formatDatabaseMistake(resolved, describeUrl(raw)))
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

function readConfigFile(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new ConfigError(`The configuration file ${file} ${describeReadFailure(error)}`, { cause: error })
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ConfigError(`The configuration file ${file} is no UTF-8 text`, { cause: error })
  }
}

function describeReadFailure(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  switch (code) {
    case 'ENOENT':
      return 'does not exist; give the path of one with --config'
    case 'EACCES':
    case 'EPERM':
      return 'cannot be read by this user; give its reader permission'
    case 'EISDIR':
      return 'is a folder; give the path of a file with --config'
    default:
      return `cannot be read (${String(code)})`
  }
}

function createConfigError(mistake: Mistake, text: ConfigText, file: string): ConfigError {
  const { path } = mistake
  const line = text.lineOf(path)
  return new ConfigError(`${file} line ${line}: ${formatMistake(mistake)}`, { facts: { file, line, path } })
}
