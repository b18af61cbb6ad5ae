import type { ServedWing } from '../../wing.ts'
import { createExplorerPages } from './createExplorerPages.ts'
import type { ExplorerSource } from './explorerSource.ts'

/** The web app at `/`. */
export function serveExplorer(source: ExplorerSource): ServedWing {
  return {
    pages: ({ context, meter, access }) => createExplorerPages(source, context, meter, access),
  }
}
