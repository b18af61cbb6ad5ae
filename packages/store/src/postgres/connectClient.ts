import type { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import type { ConnectionOptions as TlsOptions, SecureVersion } from 'node:tls'
import { Client, DatabaseError, type ClientConfig } from 'pg'
import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { systemCode } from '@attestry/core/errors/systemReason.ts'
import {
  parseConnectionUrl,
  type ConnectionTarget,
  type ServerAddress,
  type TargetSession,
  type TlsSettings,
} from './connectionUrl.ts'
import { databasePlace } from './databasePlace.ts'

/** A connected client, and the means to connect another one to the same server. */
export interface ConnectedClient {
  readonly client: Client
  readonly config: ClientConfig
}

/**
 * Connects to the first server of a URL that can be reached and has the state that `target_session_attrs` asks for.
 * `common` is what the URL does not say.
 * @throws StoreUnavailableError, and what `pg` throws
 */
export async function connectClient(
  url: string,
  { connectTimeoutMs, ...common }: ClientConfig & { readonly connectTimeoutMs: number },
): Promise<ConnectedClient> {
  const target = parseConnectionUrl(url)
  const place = databasePlace(url)
  if ('reason' in target) {
    throw new StoreUnavailableError(
      `the database must be named by a URL of PostgreSQL, but is one ${target.reason}`,
    )
  }
  const hosts = target.isShuffled ? shuffled(target.hosts) : target.hosts
  const attempts = tlsAttempts(target.tls, place)
  let failure: unknown = null
  for (const wanted of passesOf(target.targetSession)) {
    for (const host of hosts) {
      try {
        const connected = await connectTo(
          attempts.map((ssl) => ({ ...common, ...configOf(target, host, ssl, connectTimeoutMs) })),
        )
        if (await isWanted(connected.client, wanted)) return connected
        end(connected.client)
        failure = new StoreUnavailableError(
          `no server of the database ${place} is in the state that target_session_attrs=${target.targetSession} asks for`,
          { retryable: true, facts: { database: place } },
        )
      } catch (error) {
        // As with libpq, a refused user is refused by all servers.
        if (isRefusal(error)) throw error
        if (!(failure instanceof StoreUnavailableError)) failure = error
      }
    }
  }
  throw failure
}

/** Connects in the first of the ways that the server accepts. */
async function connectTo([config, ...others]: readonly ClientConfig[]): Promise<ConnectedClient> {
  const client = new Client(config)
  // Without a listener an error of an idle connection would end the process; the event `end` reports its end.
  client.on('error', () => undefined)
  if (config?.enableChannelBinding === true) refuseWithoutBinding(client)
  try {
    await client.connect()
    return { client, config: config ?? {} }
  } catch (error) {
    end(client)
    if (others.length === 0 || !(isRefusal(error) || isTlsFailure(error))) throw error
    return await connectTo(others)
  }
}

/** Ends a connection whose server asks for a password in a way that binds it to no channel. */
function refuseWithoutBinding(client: Client): void {
  // The driver binds the channel if the server offers that, and has no public sign of it.
  const { connection } = client as unknown as {
    readonly connection: EventEmitter & { readonly stream: Socket }
  }
  const refuse = () => connection.stream.destroy(new Error(withoutBinding))
  let isOffered = false
  connection.prependListener(
    'authenticationSASL',
    ({ mechanisms }: { readonly mechanisms: readonly string[] }) => {
      isOffered = mechanisms.includes('SCRAM-SHA-256-PLUS')
      if (!isOffered) refuse()
    },
  )
  for (const event of ['authenticationCleartextPassword', 'authenticationMD5Password']) {
    connection.prependListener(event, refuse)
  }
  connection.prependListener('authenticationOk', () => {
    if (!isOffered) refuse()
  })
}

const withoutBinding = 'The server does not offer channel binding'

/** Not waited for: of a connection that never came about there may be no end to hear of. */
function end(client: Client): void {
  client.end().catch(() => undefined)
}

function configOf(
  target: ConnectionTarget,
  { host, port, address }: ServerAddress,
  ssl: TlsOptions | false,
  connectTimeoutMs: number,
): ClientConfig {
  const { user, password, applicationName, options, keepAliveIdleMs } = target
  return {
    host: address ?? host,
    port,
    database: target.database,
    ssl: ssl === false || address === null ? ssl : { servername: host, ...ssl },
    ...(target.tls.isDirect ? { sslnegotiation: 'direct' } : {}),
    enableChannelBinding: target.tls.needsChannelBinding,
    connectionTimeoutMillis: target.connectTimeoutMs ?? connectTimeoutMs,
    keepAlive: target.keepAlive,
    ...(keepAliveIdleMs === null ? {} : { keepAliveInitialDelayMillis: keepAliveIdleMs }),
    ...(user === null ? {} : { user }),
    ...(password === null ? {} : { password }),
    ...(applicationName === null ? {} : { application_name: applicationName }),
    ...(options === null ? {} : { options }),
  }
}

/** The ways of connecting to try, in their order: the options of TLS, or false for none. */
function tlsAttempts(tls: TlsSettings, place: string): readonly (TlsOptions | false)[] {
  if (tls.mode === 'disable') return [false]
  const { root, certificate, key, revocations } = tls.files
  const read = (path: string | null): Buffer | undefined => {
    if (path === null || path === 'system') return undefined
    try {
      return readFileSync(path)
    } catch (error) {
      throw new StoreUnavailableError(
        `the file ${path} for TLS to ${place} cannot be read (${systemCode(error)})`,
        {
          cause: error,
        },
      )
    }
  }
  const options = Object.fromEntries(
    Object.entries({
      ca: read(root),
      cert: read(certificate),
      key: read(key),
      crl: read(revocations),
      passphrase: tls.keyPassword ?? undefined,
      minVersion: (tls.minVersion ?? undefined) as SecureVersion | undefined,
      maxVersion: (tls.maxVersion ?? undefined) as SecureVersion | undefined,
    }).filter(([, value]) => value !== undefined),
  ) as TlsOptions
  const unchecked = { ...options, rejectUnauthorized: false }
  const ofAuthority = { ...options, checkServerIdentity: () => undefined }
  switch (tls.mode) {
    case 'allow':
      return [false, unchecked]
    case 'prefer':
      return [unchecked, false]
    case 'require':
      return [root === null ? unchecked : ofAuthority]
    case 'no-verify':
      return [unchecked]
    case 'verify-ca':
      return [ofAuthority]
    case 'verify-full':
      return [options]
  }
}

function passesOf(session: TargetSession): readonly TargetSession[] {
  return session === 'prefer-standby' ? ['standby', 'any'] : [session]
}

async function isWanted(client: Client, session: TargetSession): Promise<boolean> {
  if (session === 'any') return true
  const { rows } = await client.query<{ standby: boolean; fixed: boolean }>(
    "SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS fixed",
  )
  const [{ standby, fixed } = { standby: false, fixed: false }] = rows
  switch (session) {
    case 'read-write':
      return !fixed
    case 'read-only':
      return fixed
    case 'primary':
      return !standby
    case 'standby':
    case 'prefer-standby':
      return standby
  }
}

/** Whether the server refuses the user, or the user over a connection with or without TLS. */
function isRefusal(error: unknown): boolean {
  return error instanceof DatabaseError && error.code?.startsWith('28') === true
}

/** Whether a connection with TLS cannot come about. */
export function isTlsFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.message === 'The server does not support SSL connections' || error.message === withoutBinding)
    return true
  const code = 'code' in error ? String(error.code) : ''
  return /^(?:ERR_(?:SSL|TLS|OSSL)_|EPROTO$|CERT_|CRL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(code)
}

function shuffled(hosts: readonly ServerAddress[]): readonly ServerAddress[] {
  return hosts
    .map((host) => ({ host, order: Math.random() }))
    .toSorted((one, other) => one.order - other.order)
    .map(({ host }) => host)
}
