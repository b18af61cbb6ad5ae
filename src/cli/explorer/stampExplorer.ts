import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The workspace of the web app. */
export const explorerFolder = join(root, 'explorer')

/** Files of the workspace that do not change a build. */
const ignored = /^(?:node_modules|dist)(?:[\\/]|$)|\.test\.tsx?$|\.md$/

/**
 * The stamp of a build: a hash of the sources, of the lock file, and of the script that builds. A build stands in
 * `dist/<stamp>`. Null where `folder` has no sources, as in an installed package.
 */
export async function stampExplorer(folder: string): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !ignored.test(name))
  if (!names.includes('index.html')) return null
  const hash = createHash('sha256')
  for (const name of names.sort()) hash.update(`${name}\0`).update(await readFile(join(folder, name)))
  hash.update(await readFile(join(root, 'package-lock.json')))
  hash.update(await readFile(new URL('./buildExplorer.ts', import.meta.url)))
  return hash.digest('hex').slice(0, 20)
}
