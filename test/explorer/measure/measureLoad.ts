import type { Browser } from 'playwright-core'
import { settle } from '../browser/settle.ts'

/** What a first visit costs. */
export interface LoadFigures {
  /** Milliseconds from the navigation until the page shows records, by each run. */
  readonly contentMs: readonly number[]
  /** Bytes of JavaScript as they were sent, and how many files they were. */
  readonly scriptBytes: number
  readonly scripts: number
}

/** Opens a page as somebody who has never been there, again and again. */
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
        // Of the loaded lists, each row leads somewhere.
        return main.querySelector('tbody a[href], table a[href]') === null ? null : performance.now()
      },
      null,
      { polling: 'raf', timeout: 30_000 },
    )
    contentMs.push(Number(await seen.jsonValue()))
    // With what comes after the records: the chart.
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
