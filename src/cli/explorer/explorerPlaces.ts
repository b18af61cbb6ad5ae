import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the explorer's parts are. */
export interface ExplorerPlaces {
  /** The workspace of the web app. */
  readonly sources: string
  /** Says which versions of packages a build is made of. */
  readonly lockFile: string
}

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const explorerPlaces: ExplorerPlaces = {
  sources: join(root, 'explorer'),
  lockFile: join(root, 'package-lock.json'),
}

/**
 * Where builds are kept, each in a folder named by its key, and therefore never changed: whoever builds the same sources at the same
 * time comes to the same, and the folder that is there first stays.
 */
export function buildsFolderOf({ sources }: ExplorerPlaces): string {
  return join(sources, 'dist')
}

/** Begins the names of folders in which a build is being made. */
export const unfinishedPrefix = '.building-'
