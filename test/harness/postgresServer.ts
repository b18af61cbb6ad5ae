import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { choosePostgresUser, findPostgresBinaries, type PostgresUser } from './postgresBinaries.ts'

/** The databases of a server that runs. */
export interface PostgresDatabases {
  /** Where a database is reached. */
  urlOf(database: string): string
  /** Makes a database, as a copy of `template` where one is named; answers its URL. */
  createDatabase(name: string, template?: string): Promise<string>
  dropDatabase(name: string): Promise<void>
  hasDatabase(name: string): Promise<boolean>
}

/** A PostgreSQL server of its own, on a free port of the loopback. */
export interface PostgresServer extends PostgresDatabases {
  readonly port: number
  /** Ends the server as a power cut does (SIGKILL), and waits until it is gone. */
  kill(): Promise<void>
  /** Starts it again on the same port and data after `kill`. */
  restart(): Promise<void>
  /** Ends it, and removes its folder unless that is to be kept. */
  stop(): Promise<void>
}

export interface PostgresServerOptions {
  /** Whether commits reach the disk; without it a test runs several times as fast. */
  readonly durable?: boolean
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Makes the folder of its data as that of another server was, instead of an empty one. */
  readonly replica?: { readonly pristine: string; readonly primaryPort: number }
  /** Where to keep a copy of the data as they were before the first start, from which replicas are made. */
  readonly pristine?: string
  /** A folder that stays when the server ends, and in which a later one finds its data again; otherwise they are removed. */
  readonly folder?: string
}

/** A server and others that stream from it. */
export interface ReplicatedPostgres {
  readonly primary: PostgresServer
  readonly replicas: readonly PostgresServer[]
  /** Ends all of them. */
  stop(): Promise<void>
}

/** Starts a primary and streaming replicas of it, which keep up within milliseconds. */
export async function startReplicatedPostgres(count: number): Promise<ReplicatedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-pristine-'))
  const { uid, gid } = choosePostgresUser()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const servers: PostgresServer[] = []
  const stop = async () => {
    // Replicas first: a primary waits for them to have its last words.
    for (const server of servers.toReversed()) await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const pristine = join(folder, 'data')
    const settings = { wal_keep_size: '512MB', wal_retrieve_retry_interval: '100ms' }
    const primary = await startPostgresServer({ settings, pristine })
    servers.push(primary)
    for (let index = 0; index < count; index++) {
      const replica = { pristine, primaryPort: primary.port }
      servers.push(await startPostgresServer({ settings, replica }))
    }
    return { primary, replicas: servers.slice(1), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const superuser = 'attestry'
/** Any password will do; one is in every URL so that tests see where it turns up. */
export const postgresPassword = 'correct-horse-7Q'

const startLimitMs = 60_000

/**
 * Starts a server. It ends with this process, however that ends: a shell waits on a pipe to this process, and when that
 * closes it ends the server and removes its folder.
 */
export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const user = choosePostgresUser()
  const folder = makeFolder(options, user)
  const data = join(folder, 'data')
  const remove = () => {
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true })
  }
  let running: RunningServer | null = null
  try {
    const binaries = findPostgresBinaries(user, folder)
    if (options.replica !== undefined) copyData(options.replica.pristine, data, user)
    else if (!existsSync(data)) initialise(binaries, data, user)
    if (options.replica !== undefined) followPrimary(data, options.replica.primaryPort, user)
    if (options.pristine !== undefined) copyData(data, options.pristine, user)
    const port = await findFreePort()
    const launch = () => launchServer({ binaries, data, folder, port, user, options })
    running = await launch()
    return {
      port,
      ...databasesOf(port),
      kill: async () => {
        await running?.kill()
        running = null
        killWithin(data)
      },
      restart: async () => {
        running = await launchAgain(launch)
      },
      stop: async () => {
        await running?.stop()
        remove()
      },
    }
  } catch (error) {
    await running?.stop()
    remove()
    throw error
  }
}

function makeFolder({ folder }: PostgresServerOptions, { uid, gid }: PostgresUser): string {
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
  const made = folder ?? mkdtempSync(join(tmpdir(), 'attestry-postgres-'))
  if (uid !== undefined && gid !== undefined) chownSync(made, uid, gid)
  return made
}

/** The databases of a server of `startPostgresServer`, which may have been started by another process. */
export function databasesOf(port: number): PostgresDatabases {
  const admin = (sql: string) => runSql(urlOf(port, 'postgres'), sql)
  return {
    urlOf: (database) => urlOf(port, database),
    createDatabase: async (name, template = 'template0') => {
      await admin(`CREATE DATABASE "${name}" TEMPLATE "${template}" STRATEGY file_copy`)
      return urlOf(port, name)
    },
    dropDatabase: async (name) => void (await admin(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)),
    hasDatabase: async (name) => (await admin(`SELECT 1 FROM pg_database WHERE datname = '${name}'`)) > 0,
  }
}

function urlOf(port: number, database: string): string {
  return `postgres://${superuser}:${postgresPassword}@127.0.0.1:${port}/${database}`
}

function initialise(binaries: string, data: string, user: PostgresUser): void {
  const { status, stderr } = spawnSync(
    join(binaries, 'bin', 'initdb'),
    [
      '-D',
      data,
      '-U',
      superuser,
      '-A',
      'trust',
      '-E',
      'UTF8',
      '--no-locale',
      '--no-sync',
      '--no-instructions',
    ],
    { ...user, cwd: join(data, '..'), env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`initdb failed: ${stderr}`)
}

/**
 * Ends the processes that a killed server has left, as a power cut does, where the system tells which they are: most of them notice by
 * themselves, but one that waits for another's lock, or for its client's first word, may wait for long. All of them work in the folder
 * of its data.
 */
function killWithin(data: string): void {
  if (!existsSync('/proc/self/cwd')) return
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue
    try {
      if (readlinkSync(`/proc/${name}/cwd`) === data) process.kill(Number(name), 'SIGKILL')
    } catch {
      // It has ended by itself, or is somebody else's.
    }
  }
}

function copyData(from: string, to: string, user: PostgresUser): void {
  const { status } = spawnSync('cp', ['-a', from, to], { ...user, cwd: '/' })
  if (status !== 0) throw new Error(`the data in ${from} cannot be copied`)
}

function followPrimary(data: string, port: number, { uid, gid }: PostgresUser): void {
  const signal = join(data, 'standby.signal')
  writeFileSync(signal, '')
  if (uid !== undefined && gid !== undefined) chownSync(signal, uid, gid)
  const connection = `host=127.0.0.1 port=${port} user=${superuser} password=${postgresPassword}`
  appendFileSync(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${connection}'\n`)
}

interface Launch {
  readonly binaries: string
  readonly data: string
  readonly folder: string
  readonly port: number
  readonly user: PostgresUser
  readonly options: PostgresServerOptions
}

interface RunningServer {
  kill(): Promise<void>
  stop(): Promise<void>
}

/** Ends the server when nobody holds the other end of standard input any more, and removes its folder then unless it is to be kept. */
const keeper = `
"$1" -D "$2" $3 >"$4/server.log" 2>&1 &
server=$!
echo $server
read -r what
case "$what" in
  kill) kill -KILL $server; wait $server ;;
  *) kill -INT $server; wait $server; [ "$what" = stop ] || [ "$5" = keep ] || rm -rf "$4" ;;
esac
`

async function launchServer(launch: Launch): Promise<RunningServer> {
  const { binaries, data, folder, port, user, options } = launch
  const settings = { ...settingsOf(options), port: String(port) }
  const flags = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  const postgres = join(binaries, 'bin', 'postgres')
  const fate = options.folder === undefined ? 'remove' : 'keep'
  const child = spawn(
    'sh',
    ['-c', keeper, 'postgres-keeper', postgres, data, flags.join(' '), folder, fate],
    { ...user, cwd: folder, env: { PATH: process.env['PATH'] }, stdio: ['pipe', 'ignore', 'ignore'] },
  )
  // A test that fails must not be kept alive by the server it forgot.
  child.unref()
  child.on('error', () => undefined)
  const end = async (how: 'kill' | 'stop') => {
    if (child.exitCode !== null) return
    child.ref()
    const gone = once(child, 'exit')
    child.stdin?.end(`${how}\n`)
    await gone
  }
  try {
    await untilReady(urlOf(port, 'postgres'), child)
  } catch (error) {
    await end('stop')
    throw new Error(`PostgreSQL did not start: ${readLog(folder)}`, { cause: error })
  }
  return { kill: () => end('kill'), stop: () => end('stop') }
}

/** What is left of a server that was killed holds its memory for a moment more, and a new one refuses to start until then. */
async function launchAgain(launch: () => Promise<RunningServer>): Promise<RunningServer> {
  const endMs = performance.now() + startLimitMs
  for (;;) {
    try {
      return await launch()
    } catch (error) {
      if (performance.now() > endMs) throw error
    }
    await delay(100)
  }
}

function settingsOf({ durable = false, settings = {} }: PostgresServerOptions): Record<string, string> {
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '64MB',
    max_connections: '100',
    ...(durable
      ? {}
      : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off' }),
    ...settings,
  }
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const endMs = performance.now() + startLimitMs
  for (;;) {
    try {
      await runSql(url, 'SELECT 1')
      return
    } catch (error) {
      if (child.exitCode !== null || performance.now() > endMs) throw error
    }
    await delay(20)
  }
}

/** Runs a statement on a connection of its own; answers how many rows it gave or touched. */
async function runSql(url: string, sql: string): Promise<number> {
  const client = new Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(sql)).rowCount ?? 0
  } finally {
    await client.end().catch(() => undefined)
  }
}

function readLog(folder: string): string {
  try {
    return readFileSync(join(folder, 'server.log'), 'utf8').slice(-2_000)
  } catch {
    return 'it wrote no log'
  }
}

async function findFreePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
