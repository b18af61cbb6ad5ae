import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { compressedSuffixes, pageFile } from '../../api/explorer/readExplorerBuild.ts'
import { buildsFolderOf, unfinishedPrefix, type ExplorerPlaces } from './explorerPlaces.ts'

/** A build on the disk. */
export interface FinishedBuild {
  readonly folder: string
  /** Whether it stands in a folder of its own that whoever reads it should remove: nothing may be kept beside the sources. */
  readonly isTemporary: boolean
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** Files of these kinds are compressed already. */
const incompressible = new Set(['.png', '.woff2', '.ico'])

/** What is left of builds that were broken off is removed after this time. */
const unfinishedAgeMaxMs = 10 * 60_000

/**
 * Builds the explorer with Vite, compresses its files and puts them in the folder of their key. Until then nothing of it is seen: it is made
 * in a temporary folder and moved.
 */
export async function buildExplorer(key: string, places: ExplorerPlaces): Promise<FinishedBuild> {
  const buildsFolder = buildsFolderOf(places)
  const { folder: unfinished, isTemporary } = await createFolder(buildsFolder)
  try {
    const { build } = await import('vite')
    await build({
      root: places.sources,
      configLoader: 'native',
      logLevel: 'silent',
      build: { outDir: unfinished, emptyOutDir: true },
    })
    await compressFiles(unfinished)
    if (isTemporary) return { folder: unfinished, isTemporary }
    const folder = join(buildsFolder, key)
    await moveInPlace(unfinished, folder)
    await removeOthers(buildsFolder, key)
    return { folder, isTemporary }
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true })
    throw error
  }
}

async function createFolder(buildsFolder: string): Promise<FinishedBuild> {
  try {
    await mkdir(buildsFolder, { recursive: true })
    return { folder: await mkdtemp(join(buildsFolder, unfinishedPrefix)), isTemporary: false }
  } catch {
    // An installation may be read-only.
    return { folder: await mkdtemp(join(tmpdir(), 'attestry-explorer-')), isTemporary: true }
  }
}

async function compressFiles(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !incompressible.has(extname(entry.name)))
  await Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name)
      const content = await readFile(path)
      const params = {
        [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
      }
      await writeFile(path + compressedSuffixes.br, await compressBrotli(content, { params }))
      await writeFile(path + compressedSuffixes.gzip, await compressGzip(content, { level: 9 }))
    }),
  )
}

/** Another process may have been quicker: what it made of the same sources is the same. */
async function moveInPlace(from: string, to: string): Promise<void> {
  try {
    await rename(from, to)
  } catch (error) {
    await stat(join(to, pageFile)).catch(() => {
      throw error
    })
    await rm(from, { recursive: true, force: true })
  }
}

/** Removes builds of other sources, and what was broken off. Servers have in memory what they serve. */
async function removeOthers(buildsFolder: string, key: string): Promise<void> {
  for (const name of await readdir(buildsFolder)) {
    const path = join(buildsFolder, name)
    if (name === key || (name.startsWith(unfinishedPrefix) && (await ageMs(path)) < unfinishedAgeMaxMs))
      continue
    await rm(path, { recursive: true, force: true })
  }
}

async function ageMs(path: string): Promise<number> {
  const found = await stat(path).catch(() => null)
  return found === null ? 0 : Date.now() - found.mtimeMs
}
