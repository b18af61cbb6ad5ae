import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../../..', import.meta.url))

/** The workspace of the web app. */
export const explorerFolder = join(root, 'explorer')

/** The sources that the web app imports beside its own: the client, and what verifies off-chain attestations. */
const importedFolders = [
  'client/src',
  'packages/core/src/protocols',
  'packages/core/src/model',
  'packages/trust/src/statements',
].map((folder) => join(root, folder))

/** Files of the workspaces that do not change a build. */
const ignored = /^(?:node_modules|dist)(?:[\\/]|$)|\.test\.tsx?$|\.md$/

/**
 * The stamp of a build: a hash of the sources, of those that they import, of the lock file, and of the script that
 * builds. A build stands in `dist/<stamp>`. Null where `folder` has no sources, as in an installed package.
 */
export async function stampExplorer(folder: string): Promise<string | null> {
  const names = await listSources(folder)
  if (!names.includes(join(folder, 'index.html'))) return null
  const hash = createHash('sha256')
  const imported = await Promise.all(importedFolders.map(listSources))
  for (const name of [...names, ...imported.flat()]) {
    hash.update(`${name.slice(root.length)}\0`).update(await readFile(name))
  }
  hash.update(await readFile(join(root, 'package-lock.json')))
  hash.update(await readFile(new URL('./buildExplorer.ts', import.meta.url)))
  return hash.digest('hex').slice(0, 20)
}

async function listSources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => !ignored.test(path.slice(folder.length + 1)))
    .sort()
}
