import type { NoKeys } from '@attestry/host/config/configPart.ts'
import { flag } from '@attestry/host/config/schemaKeys.ts'
import type { Wing } from '../../wing.ts'

const serverKeys = {
  explorer: flag(true, 'Whether the web app is served at /.', true),
}

/** The web app. */
export const explorerWing: Wing<boolean, NoKeys, typeof serverKeys> = {
  name: 'explorer',
  serverKeys,
  resolve: ({ file }) => file.server?.explorer ?? true,
  serve: async ({ logger, listens }, isServed) => {
    if (!isServed || !listens) return {}
    const { prepareExplorer } = await import('./prepareExplorer.ts')
    const { serveExplorer } = await import('./serveExplorer.ts')
    const explorer = prepareExplorer(logger)
    const served = serveExplorer(explorer)
    return {
      ...served,
      close: async () => {
        explorer.close()
        await served.close?.()
      },
    }
  },
}
