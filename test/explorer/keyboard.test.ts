import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { firstCases, nightTest } from '../harness/nightly.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'

const stage = useStage()
const limitMs = 60_000
const roundsMax = 30
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

test.each(firstCases(1, ['/attestations?size=10', '/', `/address/${account}`]))(
  'Tab goes through all of %s and out of it, each stop being seen and named',
  async (path) => {
    await stage.withPage({}, async (page) => {
      await open(page, path)
      await page.evaluate(noteStops)
      const stopsSoFar = () => page.evaluate(() => (window as unknown as NotingWindow).attestryStops)
      // After the last control the focus returns to the first.
      const isLast = ({ name }: { readonly name: string }) => name === 'As the system'
      let stops = await stopsSoFar()
      for (let round = 0; round < roundsMax && !stops.some(isLast); round++) {
        // The key presses need not wait for one another: the page itself records each focus.
        await Promise.all(Array.from({ length: 20 }, () => page.keyboard.press('Tab')))
        stops = await stopsSoFar()
      }
      const once = stops.slice(0, stops.findIndex(isLast) + 1)
      expect(once.filter(({ name, isMarked, isInView }) => name === '' || !isMarked || !isInView)).toEqual([])
      expect(once[0]?.name).toBe('Skip to the content')
      expect(once.length).toBeGreaterThan(30)
      expect(once.map(({ name }) => name)).toContain('OpenAPI')
    })
  },
)

test('the search is there at a key, moves by arrows, closes by Escape, and remembers', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/schemas')
    await page.keyboard.press('/')
    await page.keyboard.type('KYC')
    const options = page.getByRole('listbox').getByRole('option')
    await options.filter({ hasText: 'KYC Level 2' }).first().waitFor({ timeout: limitMs })
    expect(await page.getByRole('group', { name: 'Schemas' }).count()).toBe(1)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const chosen = page.locator('[role="option"][data-highlighted]')
    await expect.poll(() => chosen.count(), { timeout: limitMs }).toBe(1)

    await page.keyboard.press('Escape')
    await options.first().waitFor({ state: 'hidden', timeout: limitMs })
    expect(new URL(page.url()).pathname).toBe('/schemas')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')

    await page.keyboard.press('/')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('KYC Level 2')
    await options.filter({ hasText: 'KYC Level 2' }).first().waitFor({ timeout: limitMs })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/(?:schema\/|search\?)/, { timeout: limitMs })
    await settle(page)

    await page.keyboard.press('/')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.press('Delete')
    await options.filter({ hasText: 'KYC Level 2' }).first().waitFor({ timeout: limitMs })
  })
})

test('tabs, choices and the chart move by arrows', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/address/${account}`)
    await page.getByRole('tab', { name: /Made/ }).focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(/tab=received/, { timeout: limitMs })

    await page.getByRole('radio', { name: '90 d' }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByText('Last 30 days').waitFor({ timeout: limitMs })

    const chart = page.getByRole('slider', { name: /by day/ })
    await chart.focus()
    await page.keyboard.press('Home')
    expect(await chart.getAttribute('aria-valuenow')).toBe('0')
    await page.keyboard.press('ArrowRight')
    expect(await chart.getAttribute('aria-valuetext')).toMatch(
      /^\d+ \w+ \d{4}: Made [\d,]+, Received [\d,]+$/,
    )
  })
})

test('a control that changes a list keeps the focus, or the content has it', async () => {
  await stage.withPage({}, async (page) => {
    for (const [path, role, name, kept] of [
      ['/agents', 'button', 'Feedback', 'Feedback'],
      ['/attestations', 'link', 'Last page', 'Last page'],
      // Its table makes room for another.
      ['/schemas', 'button', 'Attestations', 'content'],
    ] as const) {
      await open(page, path)
      await page.getByRole('main').getByRole(role, { name, exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/\?/)
      await settle(page)
      const focused = () =>
        page.evaluate(() => {
          const { id = '', ariaLabel, textContent } = document.activeElement ?? {}
          return id === 'content' ? id : (ariaLabel ?? textContent)
        })
      await expect.poll(focused).toBe(kept)
    }
  })
})

nightTest('the theme that is chosen stays, also after a reload', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/schemas')
    await page.getByRole('radio', { name: 'Dark' }).focus()
    await page.keyboard.press('Space')
    const theme = () => page.evaluate(() => document.documentElement.dataset['theme'])
    expect(await theme()).toBe('dark')
    await page.reload()
    expect(await theme()).toBe('dark')
  })
})

interface NotingWindow {
  readonly attestryStops: readonly {
    readonly name: string
    readonly isMarked: boolean
    readonly isInView: boolean
  }[]
}

/** Records each focused element and how it shows the focus. Runs in the page. */
function noteStops(): void {
  const stops: NotingWindow['attestryStops'][number][] = []
  Object.assign(window, { attestryStops: stops })
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return
    const labels =
      target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target.labels : null
    const label = [...(labels ?? [])].map(({ textContent }) => textContent).join(' ')
    const name = target.getAttribute('aria-label') ?? (label || target.textContent)
    // A hidden control shows the focus on its label, a field on the surrounding group.
    const shown = target.matches('.visuallyHidden') ? (target.parentElement ?? target) : target
    const isMarked = [shown, shown.parentElement].some((at) => {
      if (at === null) return false
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at)
      return (outlineStyle !== 'none' && outlineWidth !== '0px') || boxShadow !== 'none'
    })
    const { top, bottom } = shown.getBoundingClientRect()
    stops.push({
      name: name.trim().slice(0, 60) || target.getAttribute('aria-labelledby') || '',
      isMarked,
      isInView: bottom > 0 && top < window.innerHeight,
    })
  })
}
