import { cp, mkdtemp, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildExplorer } from '../../../src/cli/explorer/buildExplorer.ts'
import { buildsFolderOf, explorerPlaces } from '../../../src/cli/explorer/explorerPlaces.ts'
import { hashExplorerSources } from '../../../src/cli/explorer/hashExplorerSources.ts'

/** The explorer as its sources are now, in a folder of the caller's own: another build may replace the one that is kept. */
export async function buildForTests(): Promise<string> {
  const key = await hashExplorerSources(explorerPlaces)
  if (key === null) throw new Error('the explorer has no sources here')
  const kept = join(buildsFolderOf(explorerPlaces), key)
  const isKept = await stat(kept).then(
    () => true,
    () => false,
  )
  const { folder } = isKept ? { folder: kept } : await buildExplorer(key, explorerPlaces)
  const copy = await mkdtemp(join(tmpdir(), 'attestry-explorer-'))
  await cp(folder, copy, { recursive: true })
  return copy
}
