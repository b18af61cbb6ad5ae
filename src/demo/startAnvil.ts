import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StartError } from '../errors/configErrors.ts'
import { describeError } from '../errors/baseError.ts'
import { demoMnemonic, unlockedAccounts } from './demoAccounts.ts'
import { findAnvil } from './findAnvil.ts'

export interface AnvilOptions {
  readonly chainId: number
  /** 0, the default, takes a free port. */
  readonly port?: number
  /** Seconds between blocks; by default a block is mined for every transaction, and none without. */
  readonly blockTimeS?: number
  /** Unix seconds of the genesis block; by default now. */
  readonly genesisTimeS?: number
  /** Mine only when told to. */
  readonly manualMining?: boolean
  /** States of past blocks that reads can go back to and `anvil_rollback` can return to; 72 by default. */
  readonly keptStates?: number
  /** Ends the start and, later, the chain. */
  readonly signal?: AbortSignal
}

export interface Anvil {
  readonly url: string
  readonly chainId: number
  readonly pid: number
  /** Resolves when the process is gone, whoever ended it. */
  readonly exited: Promise<void>
  /** Ends the process and removes its files; within a second, and as often as one likes. */
  stop(): Promise<void>
}

/**
 * A chain is followed by reads at the blocks near its head, 64 of which may still change; some room above that lets
 * a reader lag. Without a bound anvil keeps every state, on disk by the gigabyte; with a bare `--prune-history` it
 * keeps the newest alone and refuses reads at any earlier block. Every state is a copy in memory, a few megabytes each
 * when the chain holds some thousand attestations.
 */
const keptStatesDefault = 72
const startTimeoutMs = 15_000

/**
 * Starts anvil on 127.0.0.1 and resolves when it answers. It runs in its own session, so that Ctrl-C on the terminal
 * reaches this program alone, which then ends the chain in its own order. All its files are in a temporary directory.
 * Throws `StartError` when there is no anvil or it does not start, and the signal's reason when that is aborted.
 */
export async function startAnvil(options: AnvilOptions): Promise<Anvil> {
  options.signal?.throwIfAborted()
  const binary = findAnvil()
  const directory = await mkdtemp(join(tmpdir(), 'attestry-anvil-'))
  const child = spawnWatched(binary, anvilArguments(options, directory), directory)
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  child.once('exit', () => child.stdin?.destroy())
  const stop = async (): Promise<void> => {
    options.signal?.removeEventListener('abort', abort)
    child.kill('SIGKILL')
    await exited
    await rm(directory, { recursive: true, force: true, maxRetries: 3 })
  }
  const abort = (): void => {
    stop().catch(() => {})
  }
  options.signal?.addEventListener('abort', abort)
  try {
    // The signal may have been aborted before anything listened to it.
    options.signal?.throwIfAborted()
    const url = await readUrl(child, options.signal)
    // The address is printed only without --quiet; from here on every request would be logged.
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"anvil_setLoggingEnabled","params":[false]}',
    }).then((response) => response.text())
    return { url, chainId: options.chainId, pid: child.pid ?? 0, exited, stop }
  } catch (error) {
    await stop()
    options.signal?.throwIfAborted()
    if (error instanceof StartError) throw error
    throw new StartError(`anvil did not start: ${describeError(error)}.`, { cause: error, facts: { binary } })
  }
}

function anvilArguments(options: AnvilOptions, directory: string): string[] {
  const args = ['--host', '127.0.0.1', '--port', String(options.port ?? 0)]
  args.push('--chain-id', String(options.chainId))
  args.push('--mnemonic', demoMnemonic, '--accounts', String(unlockedAccounts))
  args.push('--prune-history', String(options.keptStates ?? keptStatesDefault))
  args.push('--cache-path', directory)
  // Blocks have room for batches of dozens of attestations; the order of sending is the order in the block.
  args.push('--gas-limit', '1000000000', '--order', 'fifo')
  if (options.genesisTimeS !== undefined) args.push('--timestamp', String(options.genesisTimeS))
  if (options.manualMining === true) args.push('--no-mining')
  if (options.blockTimeS !== undefined) args.push('--block-time', String(options.blockTimeS))
  return args
}

/**
 * The shell starts a watcher and then becomes anvil itself, so that the pid is anvil's. The watcher reads a pipe whose
 * other end this process holds: when this process ends in whatever way, kill -9 included, the pipe closes, and the
 * watcher ends anvil and removes its files.
 */
const watchedScript = `
directory=$1; shift
exec 3<&0
(cat <&3 >/dev/null 2>&1; kill -9 $$; rm -rf "$directory") >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-`

function spawnWatched(binary: string, args: readonly string[], directory: string): ChildProcess {
  const environment = { ...process.env, HOME: directory, USERPROFILE: directory }
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe']
  // Windows has no such shell; there the chain outlives a program that is ended by force.
  if (process.platform === 'win32') return spawn(binary, args, { stdio, env: environment, windowsHide: true })
  return spawn('/bin/sh', ['-c', watchedScript, 'sh', directory, binary, ...args], {
    stdio,
    env: environment,
    detached: true,
  })
}

/** The URL that anvil says it listens on; rejects when it ends before, with the last thing that it said. */
function readUrl(child: ChildProcess, signal: AbortSignal | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    const { stdout, stderr } = child
    if (stdout === null || stderr === null) throw new TypeError('The output of anvil is not piped.')
    let complaint = ''
    const settle = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
    }
    const fail = (message: string, cause?: unknown): void => {
      settle()
      reject(new StartError(`anvil did not start: ${message}.`, { cause }))
    }
    const abort = (): void => fail('it was stopped')
    const timer = setTimeout(
      () => fail(`it said nothing for ${startTimeoutMs / 1000} seconds`),
      startTimeoutMs,
    )
    signal?.addEventListener('abort', abort)
    child.once('error', (error) => fail(describeError(error), error))
    child.once('close', (code) => fail(complaint === '' ? `it ended with code ${code}` : complaint))
    // Both pipes are read to their end, or a full one would block anvil.
    createInterface(stderr).on('line', (line) => {
      if (line.trim() !== '') complaint = line.trim().replace(/^Error: |\.$/g, '')
    })
    createInterface(stdout).on('line', (line) => {
      const address = /^Listening on (\S+)$/.exec(line)?.[1]
      if (address === undefined) return
      settle()
      resolve(`http://${address}`)
    })
  })
}
