import module, { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const versionMin = 24

/**
 * Runs a program where this Node.js is recent enough for it. Any Node.js can run this file.
 *
 * @param {() => Promise<unknown>} load Imports the program.
 */
export async function startProgram(load) {
  if (Number(process.versions.node.split('.')[0]) < versionMin) {
    process.stderr.write(
      `attestry: Node.js ${versionMin} or newer is needed; this is ${process.versions.node} (in a clone, npm scripts run on the Node.js that npm installed)\n`,
    )
    process.exitCode = 1
    return
  }
  // Outside production, `graphql` checks each value of a request once more.
  process.env.NODE_ENV ??= 'production'
  // glibc has read them. They serve the process that indexes; workers keep the thresholds of glibc.
  delete process.env.MALLOC_MMAP_THRESHOLD_
  delete process.env.MALLOC_TRIM_THRESHOLD_
  keepCompiledModules()
  await load()
}

/**
 * Keeps compiled modules beside the installed ones, also for the threads and processes that this one starts. All start
 * in half the time, and each uses 20 MB less, because none loads the compiler that strips types. If the folder is not
 * writable, nothing is kept.
 */
function keepCompiledModules() {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return
  const modules = dirname(dirname(createRequire(import.meta.url).resolve('fastify/package.json')))
  process.env.NODE_COMPILE_CACHE = join(modules, '.cache', 'attestry', 'compile')
  module.enableCompileCache(process.env.NODE_COMPILE_CACHE)
}
