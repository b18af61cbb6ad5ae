import type { Browser } from 'playwright-core'
import { settle } from '../browser/settle.ts'

/** The cost of a first visit. */
export interface LoadFigures {
  /** Milliseconds from the navigation until the page shows records, per run. */
  readonly contentMs: readonly number[]
  /** Transferred bytes of JavaScript, and number of files. */
  readonly scriptBytes: number
  readonly scripts: number
}

/** Opens a page repeatedly, each time without a cache. */
export async function measureLoad(browser: Browser, url: string, runs: number): Promise<LoadFigures> {
  const contentMs: number[] = []
  let scripts: readonly number[] = []
  for (let run = 0; run < runs; run++) {
    // A new context has an empty cache.
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.goto(url, { waitUntil: 'commit' })
    const seen = await page.waitForFunction(
      () => {
        const main = document.querySelector('main')
        if (main === null || main.querySelector('[aria-busy="true"]') !== null) return null
        // Loaded rows contain links.
        return main.querySelector('tbody a[href], table a[href]') === null ? null : performance.now()
      },
      null,
      { polling: 'raf', timeout: 30_000 },
    )
    contentMs.push(Number(await seen.jsonValue()))
    // Includes the chart, which loads after the records.
    await settle(page)
    scripts = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
        .map(({ encodedBodySize }) => encodedBodySize),
    )
    await context.close()
  }
  return {
    contentMs: contentMs.sort((a, b) => a - b),
    scriptBytes: scripts.reduce((sum, bytes) => sum + bytes, 0),
    scripts: scripts.length,
  }
}
