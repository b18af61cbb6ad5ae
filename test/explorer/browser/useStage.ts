import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { startSite, type Site } from './startSite.ts'

/** The browser and a service, for the tests of one file. */
export interface Stage {
  readonly site: Site
  /** Runs with a page in a context of its own, in the light unless told otherwise. */
  withPage<Result>(options: StageOptions, run: (page: Page) => Promise<Result>): Promise<Result>
}

export interface StageOptions extends BrowserContextOptions {
  readonly width?: number
}

const heightPx = 900
/** Long enough for a machine that has much else to do. */
const limitMs = 90_000

/** To be called at the top of a file of tests. */
export function useStage(): Stage {
  let browser: Browser | null = null
  let site: Site | null = null
  beforeAll(async () => {
    browser = await chromium.connect(inject('browserEndpoint'))
    site = await startSite(inject('explorerIndex'), inject('explorerBuild'))
  })
  afterAll(async () => {
    await browser?.close()
    await site?.close()
  })
  return {
    get site() {
      if (site === null) throw new Error('the service is not up yet')
      return site
    },
    withPage: async ({ width = 1440, ...options }, run) => {
      if (browser === null) throw new Error('the browser is not up yet')
      const context = await browser.newContext({
        viewport: { width, height: heightPx },
        colorScheme: 'light',
        locale: 'en-GB',
        timezoneId: 'UTC',
        reducedMotion: 'reduce',
        ...options,
      })
      context.setDefaultTimeout(limitMs)
      try {
        return await run(await context.newPage())
      } finally {
        await context.close()
      }
    },
  }
}
