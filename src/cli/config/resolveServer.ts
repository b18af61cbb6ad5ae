import { ConfigError } from '../../errors/configErrors.ts'
import { hostDefault, hostPattern, portDefault, portMax, type ConfigFile } from './configSchema.ts'
import { quoteText } from './describeValue.ts'
import type { Environment } from './interpolateVariables.ts'

/** Where the API listens. */
export interface ServerConfig {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
}

/** Command-line options as they were given; undefined where they were not. */
export interface ServerFlags {
  readonly host?: string | undefined
  readonly port?: string | undefined
}

/**
 * Where to listen: an option goes before an environment variable, that before the file, that before the default.
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
  return { host, port }
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
