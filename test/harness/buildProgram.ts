import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'vite'
import { threads } from '@attestry/packaging/threads.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const builds = join(root, 'node_modules', '.cache', 'attestry', 'program')

const entries = ['attestry/src/attestry.js', ...threads]

/**
 * Builds the program into few files, and returns the file to start. The sources and their libraries are 1,000 modules in
 * each of three threads. `attestry start` takes 2.0 s of processor time from the sources and 0.9 s from the build, and
 * the tests start the program 300 times. The same sources are built once.
 */
export async function buildProgram(): Promise<string> {
  const folder = join(builds, stampSources())
  const entry = join(folder, 'attestry.js')
  if (existsSync(entry)) return entry
  mkdirSync(builds, { recursive: true })
  const unfinished = mkdtempSync(join(builds, '.building-'))
  try {
    await build({
      configFile: false,
      root,
      logLevel: 'error',
      plugins: [addressesOfSources],
      // Its entry also loads the code for browsers, which makes Node.js warn of a missing storage.
      resolve: { alias: { debug: 'debug/src/node.js' } },
      ssr: { noExternal: true, target: 'node' },
      build: {
        ssr: true,
        outDir: unfinished,
        target: 'node24',
        minify: false,
        rolldownOptions: {
          input: entries.map((name) => join(root, 'packages', name)),
          output: { format: 'es', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
        },
      },
    })
    // Without it, Node.js looks into each file for the kind of module that the file is.
    writeFileSync(join(unfinished, 'package.json'), '{ "type": "module" }\n')
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    // Another process has finished the build of the same sources.
    if (!existsSync(entry)) throw error
  }
  removeOldBuilds()
  return entry
}

/** A build of earlier sources may be in use by tests that still run. */
function removeOldBuilds(): void {
  for (const name of readdirSync(builds)) {
    const path = join(builds, name)
    if (Date.now() - statSync(path).mtimeMs > 86_400_000) rmSync(path, { recursive: true, force: true })
  }
}

/**
 * Modules that look for files beside them find those of the sources. Threads are looked for beside the importing module,
 * which the build keeps: all files of the build stand in one folder.
 */
const addressesOfSources: Plugin = {
  name: 'addresses-of-sources',
  transform: (code, id) =>
    id.startsWith(join(root, 'packages')) && !code.includes('moduleBeside(import.meta.url')
      ? code.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
      : null,
}

function stampSources(): string {
  const hash = createHash('sha256')
  const folder = join(root, 'packages')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /(?<!\.test)\.[jt]s$/.test(name))
    .toSorted()
  const others = [join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]
  for (const name of [...names.map((each) => join(folder, each)), ...others]) {
    hash.update(`${basename(name)}\0`).update(readFileSync(name))
  }
  return hash.digest('hex').slice(0, 20)
}
