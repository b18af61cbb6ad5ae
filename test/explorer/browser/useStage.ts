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
  /**
   * Runs with a new page without earlier state, in the light theme by default. Pages with the same options share a
   * browser context and its process, and so the compiled code of the explorer and of axe.
   */
  withPage<Result>(options: StageOptions, run: (page: Page) => Promise<Result>): Promise<Result>
}

export interface StageOptions extends BrowserContextOptions {
  readonly width?: number
}

const heightPx = 900
/** Long enough for a busy machine. */
const limitMs = 90_000

/**
 * Opens a context with a page that stays open. Without it, the process of the context would end with each page: 50 tests
 * take 109 s of processor time instead of 84 s.
 */
async function openContext(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options)
  await context.newPage()
  return context
}

/** Registers the hooks that open and close the stage; to be called at the top of a test file. */
export function useStage(): Stage {
  let browser: Browser | null = null
  let site: Site | null = null
  const contexts = new Map<string, Promise<BrowserContext>>()
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
      const wanted: BrowserContextOptions = {
        viewport: { width, height: heightPx },
        colorScheme: 'light',
        locale: 'en-GB',
        timezoneId: 'UTC',
        reducedMotion: 'reduce',
        ...options,
      }
      const key = JSON.stringify(wanted)
      const opening = contexts.get(key) ?? openContext(browser, wanted)
      contexts.set(key, opening)
      const context = await opening
      context.setDefaultTimeout(limitMs)
      const page = await context.newPage()
      try {
        return await run(page)
      } finally {
        // A page that was not opened has no storage.
        await page.evaluate(() => localStorage.clear()).catch(() => undefined)
        await page.close()
      }
    },
  }
}
