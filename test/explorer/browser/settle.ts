import type { Page } from 'playwright-core'

const limitMs = 60_000

/** Waits until the heading is present, nothing is busy, fonts are loaded and two frames are painted. */
export async function settle(page: Page): Promise<void> {
  await page.locator('main h1').first().waitFor({ timeout: limitMs })
  await page.waitForFunction(() => document.querySelector('main [aria-busy="true"]') === null, null, {
    timeout: limitMs,
  })
  await page.evaluate(async () => {
    await document.fonts.ready
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })
}
