import type { Wing } from '../../wing.ts'

/** The documentation, at `/guide`. */
export const guideWing: Wing = {
  name: 'guide',
  partPaths: { reference: ['/guide'] },
  serve: async () => (await import('./serveGuide.ts')).serveGuide(),
}
