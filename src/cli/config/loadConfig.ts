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
import { findSchemaMistakes, formatMistake, valueAt } from './describeSchemaMistake.ts'
import { describeUrl, type KeyPath } from './describeValue.ts'
import { interpolateVariables, type Environment } from './interpolateVariables.ts'
import { parseConfigText, type ConfigText } from './parseConfigText.ts'
import { MistakeFound, settleParts, type Mistake } from './mistakes.ts'
import { resolveChains, type ChainConfig, type KnownProtocols } from './resolveChains.ts'
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
 * @throws ConfigError with one line for each mistake, of one sentence. No sentence holds the value of an environment
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
    throw createConfigError(error, parsed, file)
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
  const schema = createConfigSchema(known.names)
  const found = [...findSchemaMistakes(narrowSchema(schema, value), value, raw), ...mistakes]
  // Values that match the schema are checked further; those that do not are told once.
  const config = value as ConfigFile
  const rawConfig = raw as ConfigFile
  try {
    const [database, server, chains, hooks, fields] = settleParts<
      [DatabaseConfig, ServerConfig, readonly ChainConfig[], readonly HookConfig[], FieldSetting]
    >([
      () => resolveDatabaseBlock(config.database, rawConfig.database, environment),
      () => resolveServer(flags, environment, config.server, config.policies),
      () => resolveChains(config.chains, rawConfig.chains, known),
      () => resolveHooks(config.hooks ?? [], endpointsNeeded),
      () => resolveFields(config.index?.fields),
    ])
    if (found.length > 0) throw new MistakeFound(found)
    return {
      database,
      server,
      requests: { ...allRequestsDefault, ...config.requests },
      chains,
      hooks,
      journal: {
        rowsMax: config.journal?.rows ?? journalDefault.rowsMax,
        ageMaxMs:
          config.journal?.hours === undefined ? journalDefault.ageMaxMs : config.journal.hours * 3_600_000,
      },
      fields,
    }
  } catch (error) {
    if (found.length === 0) throw error
    // A value of the wrong kind may break a check; the mistake is told already.
    if (!(error instanceof MistakeFound)) throw new MistakeFound(found)
    const further = error.mistakes.filter(({ path }) => !follows(path, found))
    throw new MistakeFound([...new Set([...found, ...further])], error.sentences)
  }
}

/** Whether a mistake at a path may be the consequence of others: at it, below it or above it, or of its chain's id. */
function follows(path: KeyPath, found: readonly Mistake[]): boolean {
  return found.some((other) => {
    const isWithin = (inner: KeyPath, outer: KeyPath) => outer.every((part, index) => inner[index] === part)
    if (isWithin(path, other.path) || isWithin(other.path, path)) return true
    const isOfChainId = other.path.length === 3 && other.path[2] === 'chainId'
    return isOfChainId && isWithin(path, other.path.slice(0, 2)) && path[2] !== 'rpc'
  })
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
    throw MistakeFound.at(
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
    throw MistakeFound.at(
      ['database', 'replicas'],
      'must be left out: only a PostgreSQL database has replicas',
    )
  }
  for (const [index, url] of replicas.entries()) {
    const path = ['database', 'replicas', index]
    if (resolveDatabaseKey(url, rawOwn.replicas?.[index], path).kind === 'postgres') continue
    throw MistakeFound.at(path, 'must be a replica of the PostgreSQL database, but is a SQLite database')
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

function readConfigFile(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new ConfigError(`The configuration file ${file} ${describeReadFailure(error)}`, { cause: error })
  }
  // UTF-16 without its mark is UTF-8 with a zero after each letter.
  if (bytes.includes(0))
    throw new ConfigError(`The configuration file ${file} is no UTF-8 text; save it as UTF-8`)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw new ConfigError(`The configuration file ${file} is no UTF-8 text; save it as UTF-8`, {
      cause: error,
    })
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

function createConfigError(
  { mistakes, sentences }: MistakeFound,
  text: ConfigText,
  file: string,
): ConfigError {
  const placed = mistakes
    .map((mistake) => ({ mistake, line: text.lineOf(mistake.path) }))
    .toSorted((a, b) => a.line - b.line)
  const lines = placed.map(({ mistake, line }) => `${file} line ${line}: ${formatMistake(mistake)}`)
  const [first] = placed
  const facts = first === undefined ? { file } : { file, line: first.line, path: first.mistake.path }
  return new ConfigError([...new Set([...lines, ...sentences])].join('\n'), { facts })
}
