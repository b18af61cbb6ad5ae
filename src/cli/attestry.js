#!/usr/bin/env node
// Any Node.js can run this file. One that is too old for the program starts the runtime that npm installed beside it.
import { spawn } from 'node:child_process'
import module, { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const versionMin = 24

/** Holds the id of the process of `startOn`. */
const launcherVariable = 'ATTESTRY_LAUNCHER'
const launcherIntervalMs = 500

/** See `tuneIndexing`. */
const allocatorSettings = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '1048576',
}

if (Number(process.versions.node.split('.')[0]) >= versionMin) {
  // `graphql` checks each value of a request once more unless it is told so.
  process.env.NODE_ENV ??= 'production'
  tuneIndexing()
  endWithLauncher()
  keepCompiledModules()
  await import('./main.ts')
} else startOn(findRuntime())

/**
 * Starts a process that indexes anew, which takes 20 ms, with settings that are read at the start of a process alone:
 * - glibc shares two arenas among the threads, and returns freed buffers of 128 KiB to the system: a dense backfill
 *   takes some 40 MB less. Worker processes that answer requests keep the thresholds of glibc.
 * - V8 has at most as many helper threads as there are processors beside that of the API. Node's own number is four,
 *   whatever the machine. The helpers collect the garbage of all threads at the priority of the API's thread, and kept
 *   the API from its processor: see docs/performance.md.
 */
function tuneIndexing() {
  const settings = Object.entries(allocatorSettings)
  if (settings.every(([name, value]) => process.env[name] === value)) {
    delete process.env.MALLOC_MMAP_THRESHOLD_
    delete process.env.MALLOC_TRIM_THRESHOLD_
  } else if (
    import.meta.main &&
    isIndexing() &&
    settings.every(([name]) => process.env[name] === undefined)
  ) {
    const helpers = `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`
    const args = [process.execPath, helpers, ...process.execArgv, ...process.argv.slice(1)]
    process.execve?.(process.execPath, args, { ...process.env, ...allocatorSettings })
  }
}

/** Whether this process will index, on a system that may have glibc. `start` is the default command. */
function isIndexing() {
  return process.platform === 'linux' && ['start', 'index'].includes(process.argv[2] ?? 'start')
}

/**
 * Keeps compiled modules beside the installed ones, for the threads and processes that this one starts too: all start
 * in half the time, and each holds 20 MB less, because none loads the compiler that strips types. Without the right to
 * write there, nothing is kept.
 */
function keepCompiledModules() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  const modules = dirname(dirname(createRequire(import.meta.url).resolve('fastify/package.json')))
  process.env.NODE_COMPILE_CACHE = join(modules, '.cache', 'attestry', 'compile')
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
}

/** The runtime among the optional dependencies; null where npm installed none for this platform. */
function findRuntime() {
  try {
    const manifest = createRequire(import.meta.url).resolve(
      `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}/package.json`,
    )
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
  } catch {
    return null
  }
}

/** @param {string | null} runtime */
function startOn(runtime) {
  if (runtime === null) {
    process.stderr.write(
      `attestry: Node.js ${versionMin} or newer is needed; this is ${process.versions.node}, and npm installed none beside it\n`,
    )
    process.exitCode = 1
    return
  }
  const child = spawn(runtime, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [launcherVariable]: String(process.pid) },
  })
  child.on('error', (error) => {
    process.stderr.write(`attestry: The runtime ${runtime} cannot be started: ${error.message}\n`)
    process.exitCode = 1
  })
  // A terminal signals both processes, a service manager this one alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 1
    if (signal === null) return
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** Ends this process when the one of `startOn` is gone, which forwards no `kill -9`: the next start needs the database. */
function endWithLauncher() {
  const launcher = process.env[launcherVariable]
  if (launcher === undefined) return
  delete process.env[launcherVariable]
  const timer = setInterval(() => {
    if (process.ppid === Number(launcher)) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, launcherIntervalMs)
  timer.unref()
}
