import type { Page } from 'playwright-core'
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

test('the attestations of a schema are filtered by the values of a field, which stand in the address', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/onchain_evm_${demoChainId}_0x1?page=2`)
    await page.getByLabel('Filter by field').selectOption('country')
    const counts = page.getByRole('region', { name: 'Values of country' })
    const first = counts.getByRole('button').first()
    await first.waitFor({ timeout: limitMs })
    expect(await counts.getByRole('button').count()).toBeLessThanOrEqual(10)
    const [, country = '', count = ''] = /^(.*?)([\d,]+)$/.exec((await first.textContent()) ?? '') ?? []
    await first.click()
    await page.waitForURL(/field/)
    expect(search(page)).toEqual({ by: 'country', 'field[country]': country })
    await expect
      .poll(async () => [...new Set(await values(page, 'country'))], { timeout: limitMs })
      .toEqual([country])
    await expect.poll(() => page.locator('main').textContent(), { timeout: limitMs }).toContain(`of ${count}`)

    // An operator of the type, and a mistake that is not sent.
    await page.getByLabel('Filter by field').selectOption('checkedAt')
    await page.getByLabel('Condition').selectOption('is at least')
    const value = page.getByRole('textbox', { name: /^Value/ })
    await value.fill('soon')
    await value.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'A whole number' }).waitFor({ timeout: limitMs })
    await value.fill('1700000000')
    await value.press('Enter')
    await page.waitForURL(/gte/)
    expect(search(page)).toMatchObject({ 'field[country]': country, 'field[checkedAt][gte]': '1700000000' })
    await page.getByRole('button', { name: 'Remove the filter country is' }).click()
    await page.waitForURL((url) => !url.searchParams.has('field[country]'))
    await page.goBack()
    await page.waitForURL((url) => url.searchParams.has('field[country]'))
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.waitForURL((url) => !url.search.includes('field%5B'))
  })
})

test('a value in the list filters by itself, by mouse and by keyboard, whatever text it is', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${oddSchemaId('plain')}?by=text`)
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
