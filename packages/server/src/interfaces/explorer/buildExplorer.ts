import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { compressedSuffixes, pageFile } from './readExplorerBuild.ts'
import { describeError } from '@attestry/core/errors/baseError.ts'
import { explorerFolder, stampExplorer } from './stampExplorer.ts'

/**
 * The script that builds the explorer into `dist/<stamp>` unless that build exists, and prints the folder of the build.
 * Run by `npm run build`, and by `prepareExplorer` as a child process with a lower priority. The one argument is the
 * folder of the sources, by default that of this repository.
 */
const [sources = explorerFolder] = process.argv.slice(2)
if (process.send !== undefined) {
  setPriority(10)
  process.once('disconnect', () => process.exit(1))
}
// Libraries choose their production code by this variable.
process.env['NODE_ENV'] = 'production'

/** Between two looks at the build of another process. */
const lookAgainMs = 100
/** A lock that is older was left: its number may be that of another process by now. */
const buildLimitMs = 600_000

try {
  process.stdout.write(`${await build()}\n`)
  process.exit()
} catch (error) {
  process.stderr.write(`attestry: the explorer cannot be built: ${toOneLine(describeError(error))}\n`)
  process.exit(1)
}

async function build(): Promise<string> {
  const stamp = await stampExplorer(sources)
  if (stamp === null) throw new Error('its sources are not part of this installation')
  const builds = join(sources, 'dist')
  const folder = join(builds, stamp)
  await mkdir(builds, { recursive: true })
  const isBuilt = () => existsSync(join(folder, pageFile))
  // Each process that answers asks for the build: one builds, and the others wait.
  const lock = join(builds, '.lock')
  while (!isBuilt()) {
    if (!(await takeLock(lock))) {
      await delay(lookAgainMs)
      continue
    }
    try {
      if (!isBuilt()) await buildInto(folder, builds, stamp)
    } finally {
      await rm(lock, { force: true })
    }
  }
  return folder
}

/** Takes the lock of builds, also that of a process that has ended; false while another process has it. */
async function takeLock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const owner = Number(await readFile(path, 'utf8').catch(() => ''))
  const { mtimeMs = Date.now() } = (await stat(path).catch(() => null)) ?? {}
  const isLeft = (owner > 0 && !isRunning(owner)) || Date.now() - mtimeMs > buildLimitMs
  if (isLeft) await rm(path, { force: true })
  return false
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function buildInto(folder: string, builds: string, stamp: string): Promise<void> {
  // The name of an unfinished build begins with a dot. Its folder gets the stamp as name when the build is complete.
  const unfinished = await mkdtemp(join(builds, '.building-'))
  try {
    const vite = await import('vite')
    await vite.build({
      root: sources,
      configLoader: 'native',
      logLevel: 'silent',
      build: { outDir: unfinished, emptyOutDir: true },
    })
    await compressFiles(unfinished)
    await rename(unfinished, folder)
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    // Another process has finished the build of the same sources.
    if (!existsSync(join(folder, pageFile))) throw error
  }
  // Servers hold their build in memory.
  for (const name of await readdir(builds)) {
    if (name !== stamp && !name.startsWith('.'))
      await rm(join(builds, name), { recursive: true, force: true })
  }
}

async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const compressed = new Set(['.png', '.woff2', '.ico'])
  const files = entries.filter((entry) => entry.isFile() && !compressed.has(extname(entry.name)))
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name)
      const content = await readFile(path)
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      }
      await writeFile(path + compressedSuffixes.br, await promisify(brotliCompress)(content, { params }))
      await writeFile(path + compressedSuffixes.gzip, await promisify(gzip)(content, { level: 9 }))
    }),
  )
}

/** Messages of the compiler have further lines with the place, and escape sequences for a terminal. */
function toOneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern matches escape sequences
  const plain = text.replaceAll(/\u001B\[[0-9;]*m/g, '')
  const lines = plain.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .slice(0, 3)
    .join(' ')
}
