import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The workspace of the web app. */
export const explorerFolder = join(root, 'explorer')

/** The sources of `@attestry/client`, by which the web app asks the interface. */
const clientFolder = join(root, 'client', 'src')

/** Files of the workspaces that do not change a build. */
const ignored = /^(?:node_modules|dist)(?:[\\/]|$)|\.test\.tsx?$|\.md$/

/**
 * The stamp of a build: a hash of the sources, of the client's, of the lock file, and of the script that builds. A build
 * stands in `dist/<stamp>`. Null where `folder` has no sources, as in an installed package.
 */
export async function stampExplorer(folder: string): Promise<string | null> {
  const names = await listSources(folder)
  if (!names.includes(join(folder, 'index.html'))) return null
  const hash = createHash('sha256')
  for (const name of [...names, ...(await listSources(clientFolder))]) {
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
