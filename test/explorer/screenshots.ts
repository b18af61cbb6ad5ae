import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { launchOptions } from './browser/launchOptions.ts'
import {
  findPicturePaths,
  outlineOf,
  pictures,
  pictureViewport,
  type MadePictures,
} from './browser/pictures.ts'
import { settle } from './browser/settle.ts'
import { withDemoSite } from './fixture/withDemoSite.ts'

/** Takes the screenshots of README: `npm run screenshots [FOLDER]`. */
const [folder = fileURLToPath(new URL('../../docs/images', import.meta.url))] = process.argv.slice(2)

const outlines: Record<string, readonly string[]> = {}

mkdirSync(folder, { recursive: true })
await withDemoSite(async (siteUrl) => {
  const paths = await findPicturePaths(siteUrl)
  const browser = await chromium.launch(await launchOptions())
  try {
    for (const { name, colorScheme } of pictures) {
      const context = await browser.newContext({
        viewport: pictureViewport,
        colorScheme,
        locale: 'en-GB',
        timezoneId: 'UTC',
      })
      const page = await context.newPage()
      await page.goto(siteUrl + paths[name])
      await settle(page)
      outlines[name] = await outlineOf(page)
      // Screenshots have no scroll bar, for which the pages reserve room.
      await page.evaluate(() => {
        document.documentElement.style.scrollbarGutter = 'auto'
      })
      const path = join(folder, `${name}-${colorScheme}.png`)
      await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
      process.stdout.write(`${path}\n`)
      await context.close()
    }
  } finally {
    await browser.close()
  }
})

// Tests ask for new pictures when the version or what a page says has moved on.
const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
const { version } = JSON.parse(manifest) as { readonly version: string }
const made: MadePictures = { version, outlines }
writeFileSync(join(folder, 'made.json'), `${JSON.stringify(made, null, 2)}\n`)
