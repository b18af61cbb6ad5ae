import { existsSync } from 'node:fs'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { pageFile } from '../../api/explorer/readExplorerBuild.ts'
import { describeError } from '../../errors/baseError.ts'
import { buildExplorer, type FinishedBuild } from './buildExplorer.ts'
import { buildsFolderOf, explorerPlaces } from './explorerPlaces.ts'
import { hashExplorerSources } from './hashExplorerSources.ts'

/**
 * The process that builds the explorer: for a service, which is told the outcome and goes before it where processors are
 * few, or by itself (`npm run build`), for an installation that cannot build later.
 */
export type BuildMessage =
  | { readonly kind: 'built'; readonly build: FinishedBuild }
  | { readonly kind: 'failed'; readonly message: string }

const priorityBehind = 10

// What the environment says is about this program; the libraries in the build have variants of their own for development.
process.env['NODE_ENV'] = 'production'

if (process.send === undefined) await buildForPerson()
else await buildForService()

async function buildForService(): Promise<void> {
  process.once('disconnect', () => process.exit())
  setPriority(priorityBehind)
  const [key = '', sources = '', lockFile = ''] = process.argv.slice(2)
  let message: BuildMessage
  try {
    message = { kind: 'built', build: await buildExplorer(key, { sources, lockFile }) }
  } catch (error) {
    message = { kind: 'failed', message: firstLineOf(describeError(error)) }
  }
  process.send?.(message, () => process.exit())
}

async function buildForPerson(): Promise<void> {
  try {
    const key = await hashExplorerSources(explorerPlaces)
    if (key === null) throw new Error('its sources are not part of this installation')
    const kept = join(buildsFolderOf(explorerPlaces), key)
    const isKept = existsSync(join(kept, pageFile))
    const { folder } = isKept ? { folder: kept } : await buildExplorer(key, explorerPlaces)
    process.stdout.write(`${folder}\n`)
  } catch (error) {
    process.stderr.write(`attestry: the explorer cannot be built: ${describeError(error)}\n`)
    process.exitCode = 1
  }
}

/** Messages of compilers show the place in further lines, and may have escape sequences for a terminal. */
function firstLineOf(text: string): string {
  // oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
  const plain = text.replaceAll(/\u001B\[[0-9;]*m/g, '')
  const lines = plain.split('\n').map((line) => line.trim())
  return lines
    .filter((line) => line !== '')
    .slice(0, 3)
    .join(' ')
}
