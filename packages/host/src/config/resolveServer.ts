import { isIP, isIPv6 } from 'node:net'
import { availableParallelism } from 'node:os'
import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import {
  ownPartPaths,
  type AccessRules,
  type AllowedOrigins,
  type ApiKey,
  type PartPaths,
  type RateLimit,
} from './accessRules.ts'
import {
  hostDefault,
  hostPattern,
  metricsHostDefault,
  portDefault,
  portMax,
  type ConfigFile,
} from './configSchema.ts'
import { quoteText } from './describeValue.ts'
import type { Environment } from './interpolateVariables.ts'
import { MistakeFound } from './mistakes.ts'

/** The `server` block of the configuration, with defaults filled in. */
export interface ServerConfig {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Number of processes that answer requests; 1: the main process answers. */
  readonly workers: number
  readonly keys: readonly ApiKey[]
  readonly access: AccessRules
  /** Host that `metricsPort` listens on. */
  readonly metricsHost: string
  /** Port of `/metrics`; without it, `/metrics` is on the main port. */
  readonly metricsPort?: number
  /** How many seconds caches may keep answers; 0: they ask each time. */
  readonly maxAgeSeconds: number
  /** For how long a version of the index that was read counts for cached answers. */
  readonly versionEveryMs: number
  readonly rateLimit?: RateLimit & { readonly valkey?: string }
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the client. */
  readonly trustProxy?: readonly string[]
}

/** Command-line options; undefined if an option was not given. */
export interface ServerFlags {
  readonly host?: string | undefined
  readonly port?: string | undefined
}

/**
 * Resolves the `server` block. An option overrides an environment variable, which overrides the file, which overrides
 * the default.
 * @param partPaths the parts of the interface.
 * @throws ConfigError
 */
export function resolveServer(
  flags: ServerFlags,
  environment: Environment,
  file: ConfigFile['server'] = {},
  partPaths: PartPaths = ownPartPaths,
): ServerConfig {
  const host =
    readHost(flags.host, 'The option --host', quoteText) ??
    readHost(environment['HOST'], 'The environment variable HOST', hideValue) ??
    file.host ??
    hostDefault
  const port =
    readPort(flags.port, 'The option --port', quoteText) ??
    readPort(environment['PORT'], 'The environment variable PORT', hideValue) ??
    file.port ??
    portDefault
  return {
    host,
    port,
    workers: file.workers ?? workersDefault(availableParallelism()),
    metricsHost: file.metricsHost ?? metricsHostDefault,
    keys: checkKeys(file.keys ?? []),
    access: {
      private: Object.fromEntries((file.private ?? []).map((part) => [part, partPaths[part] ?? []])),
      anonymous: file.anonymous ?? true,
      origins: file.origins === undefined ? originsDefault(host, file.trustProxy) : readOrigins(file.origins),
    },
    maxAgeSeconds: file.maxAgeSeconds ?? 0,
    versionEveryMs: file.versionEveryMs ?? 0,
    ...(file.metricsPort === undefined ? {} : { metricsPort: file.metricsPort }),
    ...(file.rateLimit === undefined ? {} : { rateLimit: checkCounts(file.rateLimit) }),
    ...(file.trustProxy === undefined ? {} : { trustProxy: checkProxies(file.trustProxy) }),
  }
}

/** One worker for each processor; from three processors on, one processor is left to the indexer. */
export function workersDefault(processors: number): number {
  return processors >= 3 ? processors - 1 : processors
}

/**
 * A server that only this machine reaches serves the pages of this machine: any site that its user visits could ask it
 * otherwise. Behind a proxy, it serves everybody.
 */
function originsDefault(host: string, proxies: readonly string[] | undefined): AllowedOrigins {
  return proxies === undefined && isLoopback(host) ? 'loopback' : '*'
}

/** Whether only this machine reaches what is listened on at a host. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.[0-9]{1,3}){3}$/.test(host)
}

function readOrigins(origins: readonly string[]): AllowedOrigins {
  if (origins.includes('*')) return '*'
  for (const [index, origin] of origins.entries()) {
    if (URL.parse(origin)?.origin !== origin) {
      throw MistakeFound.at(
        ['server', 'origins', index],
        `must be an origin such as https://app.example, without a path, but is ${quoteText(origin)}`,
      )
    }
  }
  return origins
}

function checkKeys(keys: readonly ApiKey[]): readonly ApiKey[] {
  for (const [index, { name }] of keys.entries()) {
    if (keys.findIndex((key) => key.name === name) !== index) {
      throw MistakeFound.at(
        ['server', 'keys', index, 'name'],
        `must be of one key alone, but ${quoteText(name)} names two`,
      )
    }
  }
  return keys
}

function checkCounts<Limit extends { readonly valkey?: string }>(rateLimit: Limit): Limit {
  const { valkey } = rateLimit
  if (valkey === undefined || URL.canParse(valkey)) return rateLimit
  throw MistakeFound.at(
    ['server', 'rateLimit', 'valkey'],
    'must be a URL such as valkey://10.0.0.5:6379, but is a value that is not shown',
  )
}

/** The schema's pattern accepts strings such as `10.0.0.0/33` that are no address or network. */
function checkProxies(proxies: readonly string[]): readonly string[] {
  for (const [index, proxy] of proxies.entries()) {
    const [address = '', bits = '0'] = proxy.split('/')
    if (/^[a-z]+$/.test(proxy)) continue
    if (isIP(address) !== 0 && Number(bits) <= (isIPv6(address) ? 128 : 32)) continue
    throw MistakeFound.at(
      ['server', 'trustProxy', index],
      `must be an IP address or a network such as 10.0.0.0/8, but is ${quoteText(proxy)}`,
    )
  }
  return proxies
}

function readHost(text: string | undefined, name: string, show: (text: string) => string): string | null {
  if (text === undefined || text === '') return null
  if (new RegExp(hostPattern).test(text)) return text
  throw new ConfigError(
    `${name} must be an IP address or the name of a host, such as ${hostDefault}, but is ${show(text)}`,
  )
}

function readPort(text: string | undefined, name: string, show: (text: string) => string): number | null {
  if (text === undefined || text === '') return null
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= portMax) return port
  throw new ConfigError(
    `${name} must be a whole number from 0 to ${portMax}, such as ${portDefault}, but is ${show(text)}`,
  )
}

/** Environment variables may hold secrets: their values are not shown. */
function hideValue(): string {
  return 'a value that is not shown'
}
