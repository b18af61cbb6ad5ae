import type { Static, TObject, TProperties } from 'typebox'
import { joinPartPaths, ownPartPaths, type PartPaths } from './accessRules.ts'
import type { AddedKeys, ConfigFile } from './configSchema.ts'
import type { DatabaseConfig } from './resolveDatabase.ts'
import type { KeyPath } from './describeValue.ts'

/** Of a part that adds none in a place. */
// oxlint-disable-next-line typescript/no-empty-object-type -- a part without keys adds nothing to the file
export type NoKeys = {}

/** The part of the configuration that a capability adds. */
export interface ConfigPart<
  Config = unknown,
  Keys extends TProperties = NoKeys,
  ServerKeys extends TProperties = NoKeys,
> {
  /** Unique among the parts. The resolved configuration travels under this name. */
  readonly name: string
  /** Keys at the top of the configuration, with descriptions, examples and defaults. */
  readonly keys?: Keys
  /** The same under `server`. */
  readonly serverKeys?: ServerKeys
  /** The paths that it answers, by the part of the interface that `server.private` names. */
  readonly partPaths?: PartPaths
  /**
   * Resolves the keys of a file that matches the schema.
   * @returns what `structuredClone` can copy: threads and processes get it.
   * @throws MistakeFound
   */
  resolve?(given: GivenFile<Keys, ServerKeys>): Config
  /** The address of the module whose `projection` is the tables of the capability that follow the index. */
  readonly projection?: string
  /** Texts with secrets that the log must never show, such as URLs with keys. */
  secretsOf?(config: Config): readonly string[]
  /** Whether a command that only reads the index can do without the environment variable that a key names. */
  mayLackVariable?(path: KeyPath): boolean
}

export interface GivenFile<Keys extends TProperties = NoKeys, ServerKeys extends TProperties = NoKeys> {
  readonly file: Partial<ConfigFile> &
    Static<TObject<Keys>> & { readonly server?: Static<TObject<ServerKeys>> }
  /** Whether the command sends requests to others: URLs and secrets are there. */
  readonly endpointsNeeded: boolean
  /** @throws MistakeFound */
  readonly database: () => DatabaseConfig
}

/** Resolved parts by their names. */
export type ResolvedParts = Readonly<Record<string, unknown>>

/** The addresses of the modules with projections. */
export function projectionsOf(parts: readonly ConfigPart[]): readonly string[] {
  return parts.flatMap(({ projection }) => projection ?? [])
}

/** The parts of the interface with what capabilities add. */
export function partPathsOf(parts: readonly ConfigPart[]): PartPaths {
  return joinPartPaths([ownPartPaths, ...parts.map(({ partPaths = {} }) => partPaths)])
}

/** The keys of all parts. */
export function keysOfParts(parts: readonly ConfigPart[]): AddedKeys {
  const keysIn = (block: 'keys' | 'serverKeys') =>
    Object.assign({}, ...parts.map((part) => part[block])) as object
  return { top: keysIn('keys'), server: keysIn('serverKeys'), partPaths: partPathsOf(parts) }
}

interface Resolved<Config> extends Pick<ConfigPart, 'name'> {
  resolve?(given: never): Config
}

/** The resolved configuration of a part. */
export function configOf<Config>({ name }: Resolved<Config>, parts: ResolvedParts): Config {
  // `resolve` of the same part returned it.
  return parts[name] as Config
}
