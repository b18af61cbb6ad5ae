import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExplorerPlaces } from './explorerPlaces.ts'

/** What a build does not depend on. */
const leftOut = /^(?:node_modules|dist)(?:\/|$)|\.test\.tsx?$|\.md$/

/**
 * The key of the build that the explorer's sources give now: a hash of them, of the versions of all packages and of the way that
 * they are built; null where there are no sources, as in an installation that brought a build alone.
 */
export async function hashExplorerSources({ sources, lockFile }: ExplorerPlaces): Promise<string | null> {
  const names = await listSources(sources, '')
  if (!names.includes('index.html')) return null
  const hash = createHash('sha256')
  for (const name of names.sort()) {
    const content = await readFile(join(sources, name))
    hash.update(`${name}\0${content.length}\0`).update(content)
  }
  hash.update(await readFile(lockFile).catch(() => ''))
  hash.update(await readFile(new URL('./buildExplorer.ts', import.meta.url)))
  return hash.digest('hex').slice(0, 20)
}

/** The names of all sources below a folder, relative to the workspace as the folder is. */
async function listSources(sources: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(sources, folder), { withFileTypes: true }).catch(() => [])
  const names: string[] = []
  for (const entry of entries) {
    const name = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (leftOut.test(name)) continue
    if (entry.isDirectory()) names.push(...(await listSources(sources, name)))
    else if (entry.isFile()) names.push(name)
  }
  return names
}
