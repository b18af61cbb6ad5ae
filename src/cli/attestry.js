#!/usr/bin/env node
// Any Node.js can run this file. One that is too old for the program starts the runtime that npm installed beside it.
import { spawn } from 'node:child_process'
import module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const versionMin = 24

if (Number(process.versions.node.split('.')[0]) >= versionMin) {
  keepCompiledModules()
  await import('./main.ts')
} else startOn(findRuntime())

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
  })
  // A terminal signals both processes, a service manager this one alone.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? (signal === null ? 1 : 128)
  })
}
