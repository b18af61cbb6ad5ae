import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, inject } from 'vitest'
import { startSite, type Site } from './startSite.ts'

/** The browser and a site, for the tests of one file. */
export interface Stage {
  readonly site: Site
  /** Runs with a page in a new browser context, in the light theme by default. */
  withPage<Result>(options: StageOptions, run: (page: Page) => Promise<Result>): Promise<Result>
}

export interface StageOptions extends BrowserContextOptions {
  readonly width?: number
  /**
   * Whether the page shares the browser context of the first such page of the file, for pages that store nothing. Axe and
   * the explorer are then compiled once: 16 pages with axe take 12 s of processor time instead of 21 s.
   */
  readonly isShared?: boolean
}

const heightPx = 900
/** Long enough for a busy machine. */
const limitMs = 90_000

/** Registers the hooks that open and close the stage; to be called at the top of a test file. */
export function useStage(): Stage {
  let browser: Browser | null = null
  let site: Site | null = null
  let shared: Promise<BrowserContext> | null = null
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
    withPage: async ({ width = 1440, isShared = false, ...options }, run) => {
      if (browser === null) throw new Error('the browser is not up yet')
      const created =
        (isShared ? shared : null) ??
        browser.newContext({
          viewport: { width, height: heightPx },
          colorScheme: 'light',
          locale: 'en-GB',
          timezoneId: 'UTC',
          reducedMotion: 'reduce',
          ...options,
        })
      if (isShared) shared = created
      const context = await created
      context.setDefaultTimeout(limitMs)
      const page = await context.newPage()
      try {
        return await run(page)
      } finally {
        await (isShared ? page : context).close()
      }
    },
  }
}
