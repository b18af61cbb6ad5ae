import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Abi, Hex } from 'viem'
import { StartError } from '../errors/configErrors.ts'
import type { SoliditySources } from './collectSources.ts'

/** A compiled contract: what is sent to create it, and what then stands at its address. */
export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
  readonly deployedBytecode: Hex
}

/** Artifacts by `<source name>:<contract name>`. */
export type Artifacts = Readonly<Record<string, Artifact>>

export interface CompileOptions {
  readonly signal?: AbortSignal
  /** Folders to keep results in, the first that serves is taken; by default one in node_modules, then one of the user's. */
  readonly cacheFolders?: readonly string[]
}

/**
 * The settings of the published contract's own build: Sign Protocol's main contract stays below the 24,576 bytes of
 * code that a chain accepts.
 */
const settings = {
  optimizer: { enabled: true, runs: 200 },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}

/**
 * Compiles Solidity sources with the compiler from npm, in a thread of its own since that takes seconds. Results are
 * kept in a file named after everything that determines them, so that the next call takes milliseconds; a cache that
 * cannot be read or written only costs the time. Throws `StartError` with the compiler's first complaint, and the
 * signal's reason when that is aborted.
 */
export async function compileSolidity(
  sources: SoliditySources,
  wanted: readonly string[],
  options: CompileOptions = {},
): Promise<Artifacts> {
  options.signal?.throwIfAborted()
  const key = createHash('sha256')
    .update(JSON.stringify([compilerVersion(), settings, sources, wanted]))
    .digest('hex')
    .slice(0, 32)
  const files = (options.cacheFolders ?? defaultCacheFolders()).map((folder) => join(folder, `${key}.json`))
  const cached = await readCache(files)
  options.signal?.throwIfAborted()
  if (cached !== null) return cached
  const artifacts = pickArtifacts(await runCompiler(sources, options.signal), wanted)
  await writeCache(files, artifacts)
  return artifacts
}

const require = createRequire(import.meta.url)

function compilerVersion(): string {
  const manifest: unknown = require('solc/package.json')
  return String(fieldOf(manifest, 'version'))
}

function defaultCacheFolders(): readonly string[] {
  const modules = dirname(dirname(require.resolve('solc/package.json')))
  const userCache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return [join(modules, '.cache', 'attestry'), join(userCache, 'attestry')]
}

async function readCache(files: readonly string[]): Promise<Artifacts | null> {
  for (const file of files) {
    try {
      const parsed: unknown = JSON.parse(await readFile(file, 'utf8'))
      // Written by this module under a name that is the hash of its input, and renamed into place when complete.
      return parsed as Artifacts
    } catch {
      // Absent or damaged: the next folder, or the compiler, has it.
    }
  }
  return null
}

async function writeCache(files: readonly string[], artifacts: Artifacts): Promise<void> {
  for (const file of files) {
    const unfinished = `${file}.${process.pid}.${Date.now()}`
    try {
      await mkdir(dirname(file), { recursive: true })
      await writeFile(unfinished, JSON.stringify(artifacts))
      await rename(unfinished, file)
      return
    } catch {
      await rm(unfinished, { force: true }).catch(() => {})
    }
  }
}

function runCompiler(sources: SoliditySources, signal: AbortSignal | undefined): Promise<unknown> {
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(Object.entries(sources).map(([name, content]) => [name, { content }])),
    settings,
  }
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./solcWorker.ts', import.meta.url), {
      workerData: JSON.stringify(input),
      execArgv: [],
    })
    const abort = (): void => {
      reject(signal?.reason)
      worker.terminate().catch(() => {})
    }
    signal?.addEventListener('abort', abort, { once: true })
    worker.once('message', (output: unknown) => resolve(JSON.parse(String(output))))
    worker.once('error', reject)
    worker.once('exit', (code) => {
      signal?.removeEventListener('abort', abort)
      reject(new StartError(`The Solidity compiler ended with code ${code}.`))
    })
  })
}

function pickArtifacts(output: unknown, wanted: readonly string[]): Artifacts {
  const errors: unknown = fieldOf(output, 'errors')
  for (const error of Array.isArray(errors) ? errors : []) {
    if (fieldOf(error, 'severity') !== 'error') continue
    throw new StartError(`The contracts do not compile: ${String(fieldOf(error, 'message'))}`, {
      facts: { complaint: fieldOf(error, 'formattedMessage') },
    })
  }
  const artifacts: Record<string, Artifact> = {}
  for (const name of wanted) {
    const [source = '', contract = ''] = name.split(':')
    const compiled = fieldOf(fieldOf(fieldOf(output, 'contracts'), source), contract)
    const evm = fieldOf(compiled, 'evm')
    const bytecode = fieldOf(fieldOf(evm, 'bytecode'), 'object')
    const deployed = fieldOf(fieldOf(evm, 'deployedBytecode'), 'object')
    const abi = fieldOf(compiled, 'abi')
    if (typeof bytecode !== 'string' || typeof deployed !== 'string' || !Array.isArray(abi)) {
      throw new StartError(`The compiler made no ${name}.`)
    }
    artifacts[name] = { abi, bytecode: `0x${bytecode}`, deployedBytecode: `0x${deployed}` }
  }
  return artifacts
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
