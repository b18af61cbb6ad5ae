import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { oddSchemaId } from './fixture/oddBlocks.ts'

const stage = useStage()
const limitMs = 60_000

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
const values = (page: Page, field: string) => page.locator(`main td[data-label="${field}"]`).allTextContents()

test('the heads of columns filter the attestations of a schema, and the address holds the filters', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/onchain_evm_${demoChainId}_0x1?page=2`)
    const head = page.getByRole('columnheader', { name: 'country' })
    await head.getByRole('button', { name: 'Filter by country' }).click()
    const dialog = page.getByRole('dialog', { name: 'Filter by country' })
    const counts = dialog.getByRole('region', { name: 'Values of country' })
    const first = counts.getByRole('button').first()
    await first.waitFor({ timeout: limitMs })
    expect(await counts.getByRole('button').count()).toBeLessThanOrEqual(10)
    const [, country = '', count = ''] = /^(.*?)([\d,]+)$/.exec((await first.textContent()) ?? '') ?? []
    await first.click()
    await page.waitForURL(/field%5Bcountry%5D=/)
    await dialog.waitFor({ state: 'detached', timeout: limitMs })
    expect(search(page)).toEqual({ 'field[country]': country })
    await expect
      .poll(async () => [...new Set(await values(page, 'country'))], { timeout: limitMs })
      .toEqual([country])
    await expect.poll(() => page.locator('main').textContent(), { timeout: limitMs }).toContain(`of ${count}`)
    expect(await head.getByRole('button', { name: 'Filter by country, filtered' }).count()).toBe(1)

    // An operator of the type, and a mistake that is not sent.
    await page.getByRole('button', { name: 'Filter by checkedAt' }).click()
    await page.getByLabel('Condition').selectOption('is at least')
    const value = page.getByRole('textbox', { name: /^Value/ })
    await value.fill('soon')
    await value.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'A whole number' }).waitFor({ timeout: limitMs })
    await value.fill('1700000000')
    await value.press('Enter')
    await page.waitForURL(/gte/)
    expect(search(page)).toMatchObject({ 'field[country]': country, 'field[checkedAt][gte]': '1700000000' })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Remove the filter country is' }).click()
    await page.waitForURL((url) => !url.searchParams.has('field[country]'))
    await page.goBack()
    await page.waitForURL((url) => url.searchParams.has('field[country]'))
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.waitForURL((url) => !url.search.includes('field%5B'))
  })
})

test('on a phone the fields stand above the cards, and the keyboard opens and closes their filters', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    await open(page, `/schema/onchain_evm_${demoChainId}_0x1`)
    const button = page
      .getByRole('group', { name: 'Filters' })
      .getByRole('button', { name: 'Filter by level' })
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Filter by level' })
    await dialog.waitFor({ timeout: limitMs })
    const box = await dialog.boundingBox()
    expect([box?.x, (box?.x ?? 0) + (box?.width ?? 0)]).toEqual([expect.any(Number), expect.any(Number)])
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(390)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached', timeout: limitMs })
    expect(search(page)).toEqual({})
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')), {
        timeout: limitMs,
      })
      .toBe('Filter by level')
  })
})

test('fields without a name, with a hostile one, and members of tuples are filtered', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${oddSchemaId('fieldNames')}`)
    // A column each for the first four fields, and a button each for the others.
    const others = page.getByRole('group', { name: 'Filters' }).getByRole('button')
    await expect.poll(() => others.allTextContents(), { timeout: limitMs }).toEqual(['KYC\ufffd', 'person'])
    const choose = async (name: string, value: string) => {
      await page.getByRole('button', { name: `Filter by ${name}`, exact: true }).click()
      const region = page.getByRole('dialog').getByRole('region')
      await region.getByRole('button').filter({ hasText: value }).click()
      await page.waitForURL((url) => !url.searchParams.has('by'))
      await settle(page)
    }
    await choose('#2', 'gnp.exe')
    await choose('a.b[c]\\', '7')
    await page.getByRole('button', { name: 'Filter by person' }).click()
    const valuesOf = (member: string) =>
      page.getByRole('region', { name: `Values of ${member}` }).getByRole('button')
    await valuesOf('person.a.b').filter({ hasText: 'Ada' }).waitFor({ timeout: limitMs })
    // The values of another member never stand under the name of this one, however late its own come.
    const held: Route[] = []
    await page.route('**/scan/aggregate/attestations?*', (route) => void held.push(route))
    await page.getByLabel('Member').selectOption('person.#2')
    await expect.poll(() => held.length).toBe(1)
    expect(await valuesOf('person.#2').allTextContents()).toEqual([])
    await Promise.all(held.map((route) => route.continue()))
    await valuesOf('person.#2').first().click()
    await page.waitForURL((url) => !url.searchParams.has('by'))
    expect(search(page)).toEqual({
      'field[]': '\u202Egnp.exe & 100% "quoted" #1 ?x=y',
      'field[a\\.b\\[c\\]\\\\]': '7',
      'field[person.]': '-3',
    })
    await expect.poll(() => page.locator('main').textContent(), { timeout: limitMs }).toContain('of 1')
    expect(await page.title()).not.toContain('pwned')
  })
})

test('a value in the list filters by itself, by mouse and by keyboard, whatever text it is', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${oddSchemaId('plain')}`)
    const filter = page.getByRole('button', { name: /^Only those whose text is/ })
    await filter.first().waitFor({ timeout: limitMs })
    const all = await filter.count()
    expect(all).toBeGreaterThan(1)
    await filter.first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/field/)
    await expect.poll(() => filter.count(), { timeout: limitMs }).toBeLessThan(all)
    expect(await page.title()).not.toContain('pwned')
    // The file is of the same rows.
    const link = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')
    expect(new URLSearchParams(link?.split('?')[1]).get('field[text]')).toBe(search(page)['field[text]'])
  })
})
