import { readFileSync } from 'node:fs'
import type { JournalLimits } from '@attestry/store/layout/journal.ts'
import { fieldsDefault, type FieldSetting } from '../fieldSetting.ts'
import { formatCompositeId, parseCompositeId } from '@attestry/core/model/compositeId.ts'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import type { RequestLimits } from '@attestry/core/chain/requestBudget.ts'
import { allRequestsDefault, createConfigSchema, type ConfigFile } from './configSchema.ts'
import {
  keysOfParts,
  partPathsOf,
  type ConfigPart,
  type GivenFile,
  type ResolvedParts,
} from './configPart.ts'
import { narrowSchema } from './schemaForms.ts'
import { findSchemaMistakes, formatMistake } from './describeSchemaMistake.ts'
import { formatKeyPath, type KeyPath } from './describeValue.ts'
import type { EnvironmentKey } from './environmentKeys.ts'
import { interpolateVariables, trimEnvironment, type Environment } from './interpolateVariables.ts'
import { parseConfigText } from './parseConfigText.ts'
import { MistakeFound, settleParts, type Mistake } from './mistakes.ts'
import { findPlaceableKeys, hideValue, placeKeys } from './placeKeys.ts'
import { resolveChains, type ChainConfig, type KnownProtocols } from './resolveChains.ts'
import type { DatabaseConfig } from './resolveDatabase.ts'
import { resolveKeptRows } from './keptRows.ts'
import { resolveDatabaseBlock } from './resolveDatabaseBlock.ts'
import { resolveServer, type ServerConfig, type ServerFlags } from './resolveServer.ts'
import { describeReadFailure } from '../describeReadFailure.ts'

/** A checked configuration with every default filled in. */
export interface Config {
  readonly database: DatabaseConfig
  readonly server: ServerConfig
  /** Limits of all endpoints together. */
  readonly requests: RequestLimits
  readonly chains: readonly ChainConfig[]
  /** How much of the journal of changes is kept. */
  readonly journal: JournalLimits
  /** The schemas whose decoded fields are indexed. */
  readonly fields: FieldSetting
  /** The configurations of the wings; read by `configOf`. */
  readonly wings: ResolvedParts
}

export interface LoadConfigOptions {
  readonly environment: Environment
  readonly known: KnownProtocols
  /** The capabilities that add keys; none by default. */
  readonly parts?: readonly ConfigPart[]
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
  const locate = ({ path }: Mistake) => ({
    line: parsed.lineOf(path),
    place: `${file} line ${parsed.lineOf(path)}`,
  })
  return resolveOver(parsed.value, { ...options, locate, chainsNeeded: true })
}

/**
 * The configuration where there is no file: environment variables and defaults. A command that only reads the index
 * needs no chains.
 * @throws ConfigError
 */
export function configWithoutFile(options: LoadConfigOptions): Config {
  const locate = () => ({ line: 0, place: 'The environment' })
  return resolveOver({}, { ...options, locate, chainsNeeded: options.endpointsNeeded })
}

/** Locates a mistake. `line` orders the sentences, `place` begins the sentence. */
type Locate = (mistake: Mistake) => { readonly line: number; readonly place: string }

interface ResolveOptions extends LoadConfigOptions {
  readonly locate: Locate
  readonly chainsNeeded: boolean
}

/** Resolves the values of a file and those that environment variables place over them. */
function resolveOver(fileValue: unknown, given: ResolveOptions): Config {
  const options = { ...given, environment: trimEnvironment(given.environment) }
  const schema = createConfigSchema(options.known.names, keysOfParts(options.parts ?? []))
  const { keys, sentences } = findPlaceableKeys(schema, fileValue, options.environment)
  try {
    return resolve(fileValue, { schema, keys, sentences }, options)
  } catch (error) {
    if (!(error instanceof MistakeFound)) throw error
    throw createConfigError(error, (mistake) => {
      const variable = keys.findLast(({ path }) => isWithin(mistake.path, path))
      if (variable === undefined) return options.locate(mistake)
      return { line: Number.MAX_SAFE_INTEGER, place: `The environment variable ${variable.name}` }
    })
  }
}

/** The schema of the configuration, and what environment variables place, with the mistakes among their names. */
interface Placed {
  readonly schema: ReturnType<typeof createConfigSchema>
  readonly keys: readonly EnvironmentKey[]
  readonly sentences: readonly string[]
}

function resolve(
  fileValue: unknown,
  { schema, keys, sentences }: Placed,
  { environment, known, parts = [], flags = {}, endpointsNeeded, chainsNeeded }: ResolveOptions,
): Config {
  const raw = placeKeys(schema, fileValue, keys, hideValue)
  const { value: interpolated, mistakes } = interpolateVariables(raw, environment, (path) => {
    if (endpointsNeeded) return false
    const [block, part, key] = path
    if (key === 'rpc' || block === 'ens' || (part === 'gate' && key === 'key')) return true
    return parts.some((each) => each.mayLackVariable?.(path))
  })
  const value = placeKeys(schema, interpolated, keys, (key) => key.value)
  const found = [...findSchemaMistakes(narrowSchema(schema, value), value, raw), ...mistakes].filter(
    ({ path }) => chainsNeeded || formatKeyPath(path) !== 'chains',
  )
  // Only values that match the schema are checked further. The others are already reported.
  const config = value as ConfigFile
  const rawConfig = raw as ConfigFile
  const findDatabase = () => resolveDatabaseBlock(config.database, rawConfig.database, environment)
  try {
    const [database, server, chains, fields, wings] = settleParts<
      [DatabaseConfig, ServerConfig, readonly ChainConfig[], FieldSetting, ResolvedParts, void]
    >([
      findDatabase,
      () => resolveServer(flags, environment, config.server, partPathsOf(parts)),
      () => resolveChains(config.chains ?? [], rawConfig.chains ?? [], known),
      () => resolveFields(config.index?.fields),
      () => resolveParts(parts, { file: config, endpointsNeeded, database: findDatabase }),
      () => {
        if (sentences.length > 0) throw new MistakeFound([], sentences)
      },
    ])
    if (found.length > 0) throw new MistakeFound(found)
    return {
      database,
      server,
      requests: { ...allRequestsDefault, ...config.requests },
      chains,
      journal: resolveKeptRows(config.journal),
      fields,
      wings,
    }
  } catch (error) {
    if (found.length === 0) throw error
    // A value of the wrong kind may break a check, but is already reported.
    if (!(error instanceof MistakeFound)) throw new MistakeFound(found)
    const further = error.mistakes.filter(({ path }) => !follows(path, found))
    throw new MistakeFound([...new Set([...found, ...further])], error.sentences)
  }
}

/** @throws MistakeFound */
function resolveParts(parts: readonly ConfigPart[], given: GivenFile): ResolvedParts {
  const entries = parts.flatMap((part) =>
    part.resolve === undefined ? [] : [() => [part.name, part.resolve?.(given)] as const],
  )
  return Object.fromEntries(settleParts<readonly (readonly [string, unknown])[]>(entries))
}

/** Whether a mistake at a path may be the consequence of others: at it, below it or above it, or of its chain's id. */
function follows(path: KeyPath, found: readonly Mistake[]): boolean {
  return found.some((other) => {
    if (isWithin(path, other.path) || isWithin(other.path, path)) return true
    const isOfChainId = other.path.length === 3 && other.path[2] === 'chainId'
    return isOfChainId && isWithin(path, other.path.slice(0, 2)) && path[2] !== 'rpc'
  })
}

function isWithin(inner: KeyPath, outer: KeyPath): boolean {
  return outer.every((part, index) => inner[index] === part)
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

function readConfigFile(file: string): string {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    const reason = describeReadFailure(error, {
      ENOENT: 'does not exist; give the path of one with --config',
      EISDIR: 'is a folder; give the path of a file with --config',
    })
    throw new ConfigError(`The configuration file ${file} ${reason}`, { cause: error })
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

function createConfigError({ mistakes, sentences }: MistakeFound, locate: Locate): ConfigError {
  const placed = mistakes
    .map((mistake) => ({ mistake, ...locate(mistake) }))
    .toSorted((a, b) => (a.line === b.line ? 0 : a.line - b.line))
  const lines = placed.map(({ mistake, place }) => `${place}: ${formatMistake(mistake)}`)
  const [first] = placed
  const facts = first === undefined ? {} : { line: first.line, path: first.mistake.path }
  return new ConfigError([...new Set([...lines, ...sentences])].join('\n'), { facts })
}
