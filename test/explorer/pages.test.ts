import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { findAxeViolations } from './browser/findAxeViolations.ts'
import { findOverflow } from './browser/findOverflow.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { watchPage } from './browser/watchPage.ts'
import { pageStates, type PageState } from './pageStates.ts'

const stage = useStage()

/** Above this, readers lose their place (web.dev calls 0.1 good). */
const layoutShiftMax = 0.05

const widths = [1440, 768, 320]
const heightPx = 900
const shownLimitMs = 5_000

describe.each(pageStates)('$name', (state) => {
  test('fits, holds still, and troubles neither readers nor other hosts', async () => {
    expect(await lookAt(state, 'light')).toEqual({ axe: [], problems: [], overflow: [], shifts: [] })
  })

  test('is as readable in the dark', async () => {
    expect(await lookAt(state, 'dark')).toMatchObject({ axe: [], problems: [] })
  })
})

/** Opens a page in a state, and lists what is wrong with it. */
async function lookAt(state: PageState, colorScheme: 'light' | 'dark') {
  const { site } = stage
  return await stage.withPage({ colorScheme }, async (page) => {
    const watch = await watchPage(page, site.url, state)
    await state.arrange?.(page)
    await page.goto(site.url + state.path)
    if (state.isLoading !== true) await settle(page)
    if (state.shows !== undefined) {
      await page.locator('main', { hasText: state.shows }).waitFor({ timeout: shownLimitMs })
    }
    const shift = await watch.layoutShift()
    const axe = await findAxeViolations(page)
    const overflow = colorScheme === 'light' ? await findOverflows(page) : []
    return { axe, problems: watch.problems, overflow, shifts: shift > layoutShiftMax ? [shift] : [] }
  })
}

async function findOverflows(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: heightPx })
    found.push(...(await findOverflow(page)))
  }
  return found
}
