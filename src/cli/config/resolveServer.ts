import { isIP, isIPv6 } from 'node:net'
import { availableParallelism } from 'node:os'
import type { RateLimit } from '../../api/limits/limitRates.ts'
import { ConfigError } from '../../errors/configErrors.ts'
import {
  explorerDefault,
  hostDefault,
  hostPattern,
  portDefault,
  portMax,
  proofBlocksPerMinuteDefault,
  type ConfigFile,
} from './configSchema.ts'
import { quoteText } from './describeValue.ts'
import type { Environment } from './interpolateVariables.ts'
import { MistakeFound } from './resolveChains.ts'

/** Where the API listens. */
export interface ServerConfig {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** How many processes answer. 1: the main one does so itself. */
  readonly workers: number
  /** Whether the web app is served at `/`. */
  readonly explorer: boolean
  /** Where the figures for Prometheus are; without it, on the main port. */
  readonly metricsPort?: number
  /** Blocks that are fetched from one chain for proofs within a minute; 0: none, and nothing is proven. */
  readonly proofBlocksPerMinute: number
  readonly rateLimit?: RateLimit
  /** Addresses and networks of proxies that tell who a client is. */
  readonly trustProxy?: readonly string[]
}

/** Command-line options as they were given; undefined where they were not. */
export interface ServerFlags {
  readonly host?: string | undefined
  readonly port?: string | undefined
}

/**
 * Where to listen, and what a client may do there: an option goes before an environment variable, that before the file, that before the default.
 * @throws ConfigError
 */
export function resolveServer(
  flags: ServerFlags,
  environment: Environment,
  file: ConfigFile['server'] = {},
): ServerConfig {
  const host =
    readHost(flags.host, (host) => `The option --host is ${quoteText(host)}`) ??
    readHost(environment['HOST'], () => 'The environment variable HOST is not an address') ??
    file.host ??
    hostDefault
  const port =
    readPort(flags.port, (port) => `The option --port is ${quoteText(port)}`) ??
    readPort(environment['PORT'], () => 'The environment variable PORT is not a port') ??
    file.port ??
    portDefault
  return {
    host,
    port,
    workers: file.workers ?? workersDefault(availableParallelism()),
    explorer: file.explorer ?? explorerDefault,
    proofBlocksPerMinute: file.proofBlocksPerMinute ?? proofBlocksPerMinuteDefault,
    ...(file.metricsPort === undefined ? {} : { metricsPort: file.metricsPort }),
    ...(file.rateLimit === undefined ? {} : { rateLimit: file.rateLimit }),
    ...(file.trustProxy === undefined ? {} : { trustProxy: checkProxies(file.trustProxy) }),
  }
}

/** One for each processor; where there are some, one is left to the indexer. */
export function workersDefault(processors: number): number {
  return processors >= 3 ? processors - 1 : processors
}

/** What looks like an address or a network may still be none. */
function checkProxies(proxies: readonly string[]): readonly string[] {
  for (const [index, proxy] of proxies.entries()) {
    const [address = '', bits = '0'] = proxy.split('/')
    if (/^[a-z]+$/.test(proxy)) continue
    if (isIP(address) !== 0 && Number(bits) <= (isIPv6(address) ? 128 : 32)) continue
    throw new MistakeFound(
      ['server', 'trustProxy', index],
      `is ${quoteText(proxy)} but must be an IP address or a network such as 10.0.0.0/8`,
    )
  }
  return proxies
}

function readHost(text: string | undefined, found: (text: string) => string): string | null {
  if (text === undefined || text === '') return null
  if (new RegExp(hostPattern).test(text)) return text
  throw new ConfigError(
    `${found(text)} but must be an IP address or the name of a host, such as ${hostDefault}`,
  )
}

function readPort(text: string | undefined, found: (text: string) => string): number | null {
  if (text === undefined || text === '') return null
  const port = /^[0-9]{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= portMax) return port
  throw new ConfigError(
    `${found(text)} but must be a whole number from 0 to ${portMax}, such as ${portDefault}`,
  )
}
