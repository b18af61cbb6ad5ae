/**
 * The parts of a PostgreSQL URL, with the parameters of libpq
 * (https://www.postgresql.org/docs/current/libpq-connect.html).
 */
export interface ConnectionTarget {
  /** Servers in the order in which they are tried. */
  readonly hosts: readonly ServerAddress[]
  readonly database: string
  /** Absent: the driver takes them from `PGUSER`, `PGPASSWORD` or the password file. */
  readonly user: string | null
  readonly password: string | null
  readonly tls: TlsSettings
  readonly targetSession: TargetSession
  readonly isShuffled: boolean
  readonly connectTimeoutMs: number | null
  readonly applicationName: string | null
  /** Options of the command line of the session, such as `-c search_path=index`. */
  readonly options: string | null
  readonly keepAlive: boolean
  readonly keepAliveIdleMs: number | null
}

export interface ServerAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  /** The address to connect to instead of that of `host`. */
  readonly address: string | null
}

export interface TlsSettings {
  readonly mode: TlsMode
  readonly isDirect: boolean
  /** Whether the server must prove the password over this very connection. */
  readonly needsChannelBinding: boolean
  readonly minVersion: string | null
  readonly maxVersion: string | null
  /** Paths of files of PEM; `system` as the root stands for the authorities that Node.js knows. */
  readonly files: Readonly<Record<'root' | 'certificate' | 'key' | 'revocations', string | null>>
  readonly keyPassword: string | null
}

const tlsModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'] as const
export type TlsMode = (typeof tlsModes)[number]

const targetSessions = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const
export type TargetSession = (typeof targetSessions)[number]

/** The reason for refusing a URL: a clause that quotes neither user nor password. */
export interface UrlMistake {
  readonly reason: string
}

/** Parameters without an effect here, with the values for which that is true. */
const withoutEffect: Readonly<Record<string, RegExp>> = {
  client_encoding: /^(?:auto|utf-?8)$/i,
  fallback_application_name: /^/,
  gssencmode: /^(?:disable|prefer)$/,
  keepalives_count: /^[0-9]+$/,
  keepalives_interval: /^[0-9]+$/,
  krbsrvname: /^/,
  sslcompression: /^0$/,
  sslcertmode: /^(?:disable|allow)$/,
  sslsni: /^1$/,
  uselibpqcompat: /^(?:true|false)$/,
  replication: /^(?:false|off|no|0)$/,
  tcp_user_timeout: /^[0-9]+$/,
}

const noUrl = 'which is no URL; write @ and / of a password as %40 and %2F'

/** The parts of a URL, or the reason for refusing the URL. `environment` gives defaults as libpq has them. */
export function parseConnectionUrl(
  url: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ConnectionTarget | UrlMistake {
  const match = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/i.exec(url)
  if (match === null) return { reason: noUrl }
  const [, credentials = '', authority = '', path = '', query = ''] = match
  try {
    const [userText, ...passwordText] = credentials.split(':')
    const parameters = new Map<string, string>()
    for (const part of query.split('&')) {
      if (part === '') continue
      const [name = '', ...value] = part.split('=')
      parameters.set(decodeURIComponent(name), decodeURIComponent(value.join('=')))
    }
    const target = readTarget(
      {
        authority,
        database: path.includes('/') ? '' : decodeURIComponent(path),
        user: decodeURIComponent(userText ?? ''),
        password: decodeURIComponent(passwordText.join(':')),
      },
      parameters,
      environment,
    )
    if ('reason' in target) return target
    for (const [name, value] of parameters) {
      const allowed = Object.hasOwn(withoutEffect, name) ? withoutEffect[name] : undefined
      if (allowed === undefined) {
        return { reason: `whose parameter ${shown(name)} is not supported; see docs/grow.md` }
      }
      if (!allowed.test(value)) return { reason: `whose parameter ${name} has a value that is not supported` }
    }
    return target
  } catch (error) {
    if (error instanceof URIError) {
      return { reason: 'which holds a % that begins no escape; write % of a password as %25' }
    }
    throw error
  }
}

interface UrlParts {
  readonly authority: string
  readonly database: string
  readonly user: string
  readonly password: string
}

/** Reads the parameters that have an effect, and takes them out of the map. */
function readTarget(
  parts: UrlParts,
  parameters: Map<string, string>,
  environment: Readonly<Record<string, string | undefined>>,
): ConnectionTarget | UrlMistake {
  const take = (name: string): string | null => {
    const value = parameters.get(name) ?? null
    parameters.delete(name)
    return value === '' ? null : value
  }
  const hosts = readHosts(parts.authority, take('host'), take('hostaddr'), take('port'))
  if (!Array.isArray(hosts)) return hosts
  const database = take('dbname') ?? parts.database
  if (database === '') return { reason: 'which names no database of the server' }

  const compatible = take('ssl')
  if (compatible !== null && !/^(?:true|1|false|0)$/.test(compatible)) {
    return { reason: 'whose parameter ssl must be true or false' }
  }
  const asked =
    take('sslmode') ?? (compatible === null ? null : /^[t1]/.test(compatible) ? 'verify-full' : 'disable')
  const direct = take('sslnegotiation') ?? 'postgres'
  const files = {
    root: take('sslrootcert'),
    certificate: take('sslcert'),
    key: take('sslkey'),
    revocations: take('sslcrl'),
  }
  const hasTls = direct === 'direct' || Object.values(files).some((path) => path !== null)
  const fallback = files.root === 'system' ? 'verify-full' : hasTls ? 'require' : 'disable'
  const mode = asked ?? environment['PGSSLMODE'] ?? fallback
  if (!isOneOf(tlsModes, mode)) {
    return { reason: `whose sslmode must be one of ${tlsModes.slice(0, 6).join(', ')}` }
  }
  if (direct !== 'postgres' && direct !== 'direct') {
    return { reason: 'whose sslnegotiation must be postgres or direct' }
  }
  if (direct === 'direct' && ['disable', 'allow', 'prefer'].includes(mode)) {
    return { reason: 'whose sslnegotiation=direct needs the sslmode require, verify-ca or verify-full' }
  }
  if (files.root === 'system' && mode !== 'verify-full') {
    return { reason: 'whose sslrootcert=system needs sslmode=verify-full' }
  }
  if (mode === 'verify-ca' && files.root === null) {
    return {
      reason: 'whose sslmode=verify-ca needs sslrootcert, the file of the authority; or take verify-full',
    }
  }
  if ((files.certificate === null) !== (files.key === null)) {
    return { reason: 'which needs both sslcert and sslkey, or neither' }
  }
  const binding = take('channel_binding') ?? 'prefer'
  if (!['disable', 'prefer', 'require'].includes(binding)) {
    return { reason: 'whose channel_binding must be disable, prefer or require' }
  }
  const versions = [take('ssl_min_protocol_version'), take('ssl_max_protocol_version')]
  if (!versions.every((version) => version === null || /^TLSv1(?:\.[1-3])?$/.test(version))) {
    return { reason: 'whose ssl_min_protocol_version and ssl_max_protocol_version must be like TLSv1.2' }
  }
  const [minVersion = null, maxVersion = null] = versions
  const targetSession = take('target_session_attrs') ?? 'any'
  if (!isOneOf(targetSessions, targetSession)) {
    return { reason: `whose target_session_attrs must be one of ${targetSessions.join(', ')}` }
  }
  const balance = take('load_balance_hosts') ?? 'disable'
  if (balance !== 'disable' && balance !== 'random') {
    return { reason: 'whose load_balance_hosts must be disable or random' }
  }
  const [timeout, idle, alive] = ['connect_timeout', 'keepalives_idle', 'keepalives'].map((name) =>
    take(name),
  )
  for (const text of [timeout, idle, alive]) {
    if (text !== null && text !== undefined && !/^-?[0-9]{1,6}$/.test(text)) {
      return { reason: 'whose connect_timeout, keepalives and keepalives_idle must be numbers' }
    }
  }
  return {
    hosts,
    database,
    user: take('user') ?? (parts.user === '' ? null : parts.user),
    password: take('password') ?? (parts.password === '' ? null : parts.password),
    tls: {
      mode,
      isDirect: direct === 'direct',
      needsChannelBinding: binding === 'require',
      minVersion,
      maxVersion,
      files,
      keyPassword: take('sslpassword'),
    },
    targetSession,
    isShuffled: balance === 'random',
    // As libpq reads it: no number above 0 is no limit of its own.
    connectTimeoutMs: Number(timeout) > 0 ? Number(timeout) * 1_000 : null,
    applicationName: take('application_name'),
    options: take('options'),
    keepAlive: alive !== '0',
    keepAliveIdleMs: Number(idle) > 0 ? Number(idle) * 1_000 : null,
  }
}

/** The hosts of a URL: parameters win over the part before the path. A port that stands once is that of each host. */
function readHosts(
  authority: string,
  hostText: string | null,
  addressText: string | null,
  portText: string | null,
): ServerAddress[] | UrlMistake {
  const own =
    authority === '' ? [] : authority.split(',').map((part) => /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(part))
  if (own.some((part) => part === null)) return { reason: noUrl }
  const names = hostText?.split(',') ?? own.map((part) => decodeURIComponent(part?.[1] ?? ''))
  const addresses = addressText?.split(',') ?? []
  const count = Math.max(names.length, addresses.length)
  if (count === 0 || (names.every((name) => name === '') && addresses.length === 0)) {
    return { reason: 'which names no server' }
  }
  const ports = portText?.split(',') ?? own.map((part) => part?.[2] ?? '')
  if (names.length > 0 && addresses.length > 0 && names.length !== addresses.length) {
    return { reason: 'which needs one hostaddr for each host' }
  }
  if (ports.length > 1 && ports.length !== count)
    return { reason: 'which needs one port for each host, or one for all' }
  const hosts: ServerAddress[] = []
  for (let index = 0; index < count; index++) {
    const port = (ports.length > 1 ? ports[index] : ports[0]) ?? ''
    if (!/^[0-9]{0,5}$/.test(port) || Number(port) > 65_535) {
      return { reason: noUrl }
    }
    const address = addresses[index] ?? null
    hosts.push({
      host: (names[index] ?? address ?? '').replace(/^\[(.*)\]$/, '$1') || 'localhost',
      port: Number(port) || 5_432,
      address,
    })
  }
  return hosts
}

function isOneOf<Name extends string>(names: readonly Name[], value: string): value is Name {
  return names.some((name) => name === value)
}

/** The name of a parameter in a message: a part of a password may have slipped into the query. */
function shown(name: string): string {
  return /^[a-z_]{1,32}$/.test(name) ? name : 'with an unknown name'
}
