import type { ServedWing } from '../../wing.ts'
import { createExplorerPages } from './createExplorerPages.ts'
import type { ExplorerSource } from './explorerSource.ts'
import { createPictures } from './pictures/createPictures.ts'

/** The web app at `/`, and the pictures of its pages. */
export function serveExplorer(source: ExplorerSource): ServedWing {
  const pictures = createPictures()
  return {
    pages: ({ context, meter, access }) => createExplorerPages(source, context, meter, access, pictures),
    close: async () => await pictures.close(),
  }
}
