import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { launchOptions } from './browser/launchOptions.ts'
import { settle } from './browser/settle.ts'
import { findExamples } from './fixture/findExamples.ts'
import { withDemoSite } from './fixture/withDemoSite.ts'

/** Takes the screenshots of README: `npm run screenshots [FOLDER]`. */
const [folder = fileURLToPath(new URL('../../docs/images', import.meta.url))] = process.argv.slice(2)

const viewport = { width: 1280, height: 860 }

mkdirSync(folder, { recursive: true })
await withDemoSite(async (siteUrl) => {
  const paths = await findExamples(siteUrl)
  const browser = await chromium.launch(await launchOptions())
  try {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', timezoneId: 'UTC' })
      const page = await context.newPage()
      for (const name of ['home', 'attestation', 'schema'] as const) {
        await page.goto(siteUrl + paths[name])
        await settle(page)
        if (name === 'home') await page.getByText('Live', { exact: true }).waitFor()
        // Screenshots have no scroll bar, for which the pages reserve room.
        await page.evaluate(() => {
          document.documentElement.style.scrollbarGutter = 'auto'
        })
        const path = join(folder, `${name}-${colorScheme}.png`)
        await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
        process.stdout.write(`${path}\n`)
      }
      await context.close()
    }
  } finally {
    await browser.close()
  }
})
