import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import { asClause, describeError } from '@attestry/core/errors/baseError.ts'
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
  /** Mines only on request. */
  readonly manualMining?: boolean
  /** Number of past states for reads and `anvil_rollback`; 72 by default. */
  readonly keptStates?: number
  /** Aborts the start; afterwards ends the chain. */
  readonly signal?: AbortSignal
}

export interface Anvil {
  readonly url: string
  readonly chainId: number
  readonly pid: number
  /** Resolves at the end of the process. */
  readonly exited: Promise<void>
  /** Ends the process within a second and removes its files. May be called again. */
  stop(): Promise<void>
}

/**
 * An indexer reads at the 64 blocks near the head that may still change; 8 more let it lag. Without a bound anvil keeps
 * every state on disk, gigabytes of them; with `--prune-history` without a number it keeps only the newest state. Each
 * state is a copy in memory of some megabytes when the chain holds some thousand attestations.
 */
const keptStatesDefault = 72
const startTimeoutMs = 15_000

/**
 * Starts anvil on 127.0.0.1 and resolves when anvil answers. anvil runs in its own session, so that Ctrl-C on the
 * terminal reaches only this program, which then ends anvil in order. All files of anvil are in a temporary directory.
 * @throws StartError when anvil is missing or does not start; the signal's reason after an abort.
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
    // The signal may have been aborted before the listener was added.
    options.signal?.throwIfAborted()
    const url = await readUrl(child, options.signal)
    // anvil prints its address only without --quiet, and would then log every request.
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
    throw new StartError(`anvil did not start: ${asClause(describeError(error))}.`, {
      cause: error,
      facts: { binary },
    })
  }
}

function anvilArguments(options: AnvilOptions, directory: string): string[] {
  const args = ['--host', '127.0.0.1', '--port', String(options.port ?? 0)]
  args.push('--chain-id', String(options.chainId))
  args.push('--mnemonic', demoMnemonic, '--accounts', String(unlockedAccounts))
  args.push('--prune-history', String(options.keptStates ?? keptStatesDefault))
  args.push('--cache-path', directory)
  // The gas limit has room for batches of dozens of attestations; `fifo` keeps the order of sending in the block.
  args.push('--gas-limit', '1000000000', '--order', 'fifo')
  if (options.genesisTimeS !== undefined) args.push('--timestamp', String(options.genesisTimeS))
  if (options.manualMining === true) args.push('--no-mining')
  if (options.blockTimeS !== undefined) args.push('--block-time', String(options.blockTimeS))
  return args
}

/**
 * The shell starts a watcher and then replaces itself by anvil, so that the pid is anvil's. The watcher reads a pipe
 * whose other end this process holds. When this process ends, also by `kill -9`, the pipe closes, and the watcher kills
 * anvil and removes its files.
 */
const watchedScript = `
directory=$1; shift
exec 3<&0
(cat <&3 >/dev/null 2>&1; kill -9 $$; rm -rf "$directory") >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-`

function spawnWatched(binary: string, args: readonly string[], directory: string): ChildProcess {
  const environment = { ...process.env, HOME: directory, USERPROFILE: directory }
  const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe']
  // Windows has no such shell; there anvil outlives a program that is killed.
  if (process.platform === 'win32') return spawn(binary, args, { stdio, env: environment, windowsHide: true })
  return spawn('/bin/sh', ['-c', watchedScript, 'sh', directory, binary, ...args], {
    stdio,
    env: environment,
    detached: true,
  })
}

/** The URL that anvil listens on; rejects when anvil ends first, with its last line on standard error. */
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
      reject(new StartError(`anvil did not start: ${asClause(message)}.`, { cause }))
    }
    const abort = (): void => fail('it was stopped')
    const timer = setTimeout(
      () => fail(`it said nothing for ${startTimeoutMs / 1000} seconds`),
      startTimeoutMs,
    )
    signal?.addEventListener('abort', abort)
    child.once('error', (error) => fail(describeError(error), error))
    child.once('close', (code) => fail(complaint === '' ? `it ended with code ${code}` : complaint))
    // Both pipes are read to their end: a full pipe would block anvil.
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
