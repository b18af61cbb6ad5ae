import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Abi, Hex } from 'viem'
import { StartError } from '@attestry/core/errors/configErrors.ts'
import type { SoliditySources } from './collectSources.ts'
import { moduleBeside } from '@attestry/core/model/moduleBeside.ts'

/** A compiled contract: creation code and deployed code. */
export interface Artifact {
  readonly abi: Abi
  readonly bytecode: Hex
  readonly deployedBytecode: Hex
}

/** Artifacts by `<source name>:<contract name>`. */
export type Artifacts = Readonly<Record<string, Artifact>>

export interface CompileOptions {
  readonly signal?: AbortSignal
  /** Cache folders; the first usable one is taken. By default one in node_modules, then the user's cache folder. */
  readonly cacheFolders?: readonly string[]
}

/** The settings of the published build: with them the main contract stays below the limit of 24,576 bytes of code. */
const settings = {
  optimizer: { enabled: true, runs: 200 },
  outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } },
}

/**
 * Compiles Solidity sources with the compiler from npm, in a worker thread, which takes seconds. Results are cached in
 * a file named by the hash of all inputs. A cache that cannot be read or written is ignored.
 * @throws StartError with the first error of the compiler; the signal's reason after an abort.
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
      // `writeCache` wrote the file under the hash of its input, and renamed it into place when complete.
      return parsed as Artifacts
    } catch {
      // Absent or damaged: try the next folder, then compile.
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
    const worker = new Worker(moduleBeside(import.meta.url, './solcWorker'), {
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
