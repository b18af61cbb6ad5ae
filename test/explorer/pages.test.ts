import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { isNightly } from '../harness/nightly.ts'
import { findAxeViolations } from './browser/findAxeViolations.ts'
import { findCutTexts } from './browser/findCutTexts.ts'
import { findOverflow } from './browser/findOverflow.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { watchPage } from './browser/watchPage.ts'
import { pageStates, type PageState } from './pageStates.ts'

const stage = useStage()

/** The limit of a good Cumulative Layout Shift by web.dev. */
const layoutShiftMax = 0.1

const widths = [1440, 1024, 768, 320]
/** Letter spacing that widens text by about 5 %, since fonts of other machines are wider than the bundled one. */
const letterSpacing = '0.03em'
const heightPx = 900
const shownLimitMs = 60_000

const kindOf = ({ path }: PageState) => /^\/[^/?]*/.exec(path)?.[0]
/** The states of a page share its components: `npm test` looks at the first state of each page. */
const lookedAt = pageStates.filter(
  (state, at) => isNightly || pageStates.findIndex((other) => kindOf(other) === kindOf(state)) === at,
)

test.concurrent.each(lookedAt)(
  '$name: fits, holds still, is readable in both themes, and troubles no other host',
  async (state) => {
    expect(await lookAt(state)).toEqual({ light: [], dark: [], problems: [], overflow: [], shifts: [] })
  },
)

/** Opens a page in a state and lists its faults. */
async function lookAt(state: PageState) {
  const { site } = stage
  return await stage.withPage({}, async (page) => {
    const watch = await watchPage(page, site.url, state)
    await state.arrange?.(page)
    await page.goto(site.url + state.path)
    if (state.isLoading !== true) await settle(page)
    if (state.shows !== undefined) {
      await page.locator('main', { hasText: state.shows }).waitFor({ timeout: shownLimitMs })
    }
    const shift = await watch.layoutShift()
    const light = await findAxeViolations(page)
    const overflow = await findOverflows(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await findAxeViolations(page, 'colours')
    return {
      light,
      dark,
      problems: watch.problems,
      overflow,
      shifts: shift > layoutShiftMax ? [shift] : [],
    }
  })
}

/** Elements that overflow with widened text. Text of normal width overflows nowhere else. */
async function findOverflows(page: Page): Promise<string[]> {
  const found: string[] = []
  await page.evaluate((spacing) => {
    document.documentElement.style.letterSpacing = spacing
  }, letterSpacing)
  for (const width of widths) {
    await page.setViewportSize({ width, height: heightPx })
    found.push(...(await findOverflow(page)), ...(await findCutTexts(page)))
  }
  return found
}
