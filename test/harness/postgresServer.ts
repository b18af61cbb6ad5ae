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
import { findFastFolder } from './fastFolder.ts'
import { choosePostgresUser, findPostgresBinaries, type PostgresUser } from './postgresBinaries.ts'

/** The databases of a running server. */
export interface PostgresDatabases {
  /** The URL of a database. */
  urlOf(database: string): string
  /** Creates a database, as a copy of `template` when given; resolves with its URL. */
  createDatabase(name: string, template?: string): Promise<string>
  dropDatabase(name: string): Promise<void>
  hasDatabase(name: string): Promise<boolean>
}

/** A PostgreSQL server on a free port of 127.0.0.1. */
export interface PostgresServer extends PostgresDatabases {
  readonly port: number
  /** Kills all processes of the server (SIGKILL) and waits until they have ended. */
  kill(): Promise<void>
  /** Starts the server again after `kill`, on the same port and data. */
  restart(): Promise<void>
  /** Ends the server, and removes its folder unless `folder` was given. */
  stop(): Promise<void>
}

export interface PostgresServerOptions {
  /** Whether commits reach the disk. Without fsync, and in memory, tests run several times as fast. */
  readonly durable?: boolean
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
  /** Starts as a streaming replica, from a copy of the data of another server. */
  readonly replica?: { readonly pristine: string; readonly primaryPort: number }
  /** Folder for a copy of the initial data, from which replicas start. */
  readonly pristine?: string
  /** A folder that stays when the server ends, for a later server to reuse; by default a temporary one. */
  readonly folder?: string
}

/** A primary and its streaming replicas. */
export interface ReplicatedPostgres {
  readonly primary: PostgresServer
  readonly replicas: readonly PostgresServer[]
  /** Ends all of them. */
  stop(): Promise<void>
}

/** Starts a primary and streaming replicas, whose lag is a few milliseconds. */
export async function startReplicatedPostgres(count: number): Promise<ReplicatedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-pristine-'))
  const { uid, gid } = choosePostgresUser()
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
  const servers: PostgresServer[] = []
  const stop = async () => {
    // Replicas first: a primary that shuts down waits until they have received all WAL.
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
/** The server accepts any password. URLs contain one so that tests notice where it leaks. */
export const postgresPassword = 'correct-horse-7Q'

const startLimitMs = 60_000

/**
 * Starts a server, which ends with this process, also after SIGKILL: a shell reads a pipe from this process, and ends
 * the server and removes its folder when the pipe closes.
 */
export async function startPostgresServer(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const user = choosePostgresUser()
  const folder = options.folder ?? makeFolder(tmpdir(), user)
  if (options.folder !== undefined) own(options.folder, user)
  // Programs may not run from a folder in memory: the binaries may have to be copied, and stay on the disk.
  const dataFolder =
    options.folder !== undefined || options.durable === true ? folder : makeFolder(findFastFolder(), user)
  const data = join(dataFolder, 'data')
  const remove = () => {
    if (options.folder !== undefined) return
    for (const each of [folder, dataFolder]) rmSync(each, { recursive: true, force: true })
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
        running = await launchAgain(() => {
          // Rarely a backend outlives the first `killWithin`, and holds the shared memory; why is not known.
          killWithin(data)
          return launch()
        })
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

function makeFolder(parent: string, user: PostgresUser): string {
  const folder = mkdtempSync(join(parent, 'attestry-postgres-'))
  own(folder, user)
  return folder
}

/** Makes a folder, if need be, and gives it to the user of the server. */
function own(folder: string, { uid, gid }: PostgresUser): void {
  mkdirSync(folder, { recursive: true })
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid)
}

/** The databases of a server of `startPostgresServer`, which may have been started by another process. */
export function databasesOf(port: number): PostgresDatabases {
  const admin = (sql: string) => runSql(urlOf(port, 'postgres'), sql)
  return {
    urlOf: (database) => urlOf(port, database),
    createDatabase: async (name, template = 'template0') => {
      const strategy = strategies.get(port) ?? findStrategy(admin)
      strategies.set(port, strategy)
      await admin(`CREATE DATABASE "${name}" TEMPLATE "${template}"${await strategy}`)
      return urlOf(port, name)
    },
    dropDatabase: async (name) => void (await admin(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)),
    hasDatabase: async (name) => (await admin(`SELECT 1 FROM pg_database WHERE datname = '${name}'`)) > 0,
  }
}

/** The clause that says how the server on a port copies databases. */
const strategies = new Map<number, Promise<string>>()

/** PostgreSQL 14 copies files, and has no other strategy. */
async function findStrategy(admin: (sql: string) => Promise<number>): Promise<string> {
  const hasStrategies = await admin("SELECT WHERE current_setting('server_version_num')::int >= 150000")
  return hasStrategies > 0 ? ' STRATEGY file_copy' : ''
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
 * Kills the backends of a killed server, where /proc lists processes. Most backends notice and end, but one that waits
 * for a lock or for the first message of a client may wait for long. The working directory of each backend is the data
 * folder.
 */
function killWithin(data: string): void {
  if (!existsSync('/proc/self/cwd')) return
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue
    try {
      if (readlinkSync(`/proc/${name}/cwd`) === data) process.kill(Number(name), 'SIGKILL')
    } catch {
      // The process has ended, or belongs to another user.
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

/**
 * Ends the server when standard input closes, and removes its folders unless `$5` is `keep`. Ends with the server, also
 * with one that does not start.
 */
const keeper = `
exec 3<&0
"$1" -D "$2" $3 >"$4/server.log" 2>&1 3<&- &
server=$!
(
  read -r what <&3
  case "$what" in
    kill) kill -KILL $server ;;
    stop) kill -INT $server ;;
    *) [ "$5" = keep ] || : >"$4/remove"; kill -INT $server ;;
  esac
) &
reader=$!
wait $server
kill $reader 2>"$4/keeper.log"
[ ! -e "$4/remove" ] || rm -rf "$4" "$(dirname "$2")"
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
  // A failed test must not be kept alive by a server that it did not stop.
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

/** The shared memory of a killed server stays in use for a moment, and a new server refuses to start until then. */
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

/** Runs a statement on a new connection; resolves with the number of rows returned or changed. */
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

/** A port of 127.0.0.1 that nothing listens on. */
export async function findFreePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
