import type { Page, Route } from 'playwright-core'
import { expect, test } from 'vitest'
import { firstCases, nightTest } from '../harness/nightly.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { demoChainId, easAttestations } from './fixture/fillExplorerIndex.ts'
import { easChainId } from './fixture/easBlocks.ts'

const stage = useStage()
const nobody = `0x${'9'.repeat(40)}`
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

/** Until the requested rows arrive, the page shows the previous ones. */
const limitMs = 60_000

const columnOf = async (page: Page, header: string): Promise<string[]> => {
  const cells = await page.locator(`main td[data-label="${header}"]`).allTextContents()
  return cells.map((text) => text.trim())
}

/** Waits until every row has the same text in a column. */
async function expectAll(page: Page, header: string, value: string): Promise<void> {
  await expect
    .poll(async () => [...new Set(await columnOf(page, header))], { timeout: limitMs })
    .toEqual([value])
}

const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

test('a list is narrowed by chain and protocol, which stand in its address and as chips that let go of them', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/schemas?page=2')
    const origin = page.getByLabel('Lists show')
    await origin.selectOption('OP Mainnet')
    await page.waitForURL(/chainId=10/)
    // Another filter resets the list to its first page.
    expect(search(page)).toEqual({ chainId: String(easChainId) })
    await expectAll(page, 'Chain', 'OP Mainnet EAS')
    await origin.focus()
    await origin.selectOption('Linea · Verax')
    await page.waitForURL(/protocol=verax/)
    const chips = page.getByRole('list', { name: 'Filters that hold' })
    await expect
      .poll(() => chips.getByRole('listitem').allTextContents(), { timeout: limitMs })
      .toEqual(['ChainLinea', 'ProtocolVerax', 'Clear all'])
    expect(await origin.evaluate((choice) => choice === document.activeElement)).toBe(true)
    await page.getByRole('button', { name: 'Remove the filter Chain' }).click()
    await page.waitForURL((url) => !url.searchParams.has('chainId'))
    expect(search(page)).toEqual({ protocol: 'verax' })
    await page.getByRole('button', { name: 'Clear all' }).click()
    await page.waitForURL((url) => url.search === '')
    await expect
      .poll(async () => new Set(await columnOf(page, 'Chain')).size, { timeout: limitMs })
      .toBeGreaterThan(1)
  })
})

test('the chain and protocol that are chosen in the head stay from list to list, over a page between', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/schemas?order=top')
    const choice = page.getByLabel('Lists show')
    await choice.selectOption('Linea · Verax')
    await page.waitForURL(/protocol=verax/)
    expect(search(page)).toEqual({ chainId: '59144', protocol: 'verax' })
    await expectAll(page, 'Chain', 'Linea Verax')
    await page.getByRole('main').getByRole('link', { name: 'Humans of Zug' }).first().click()
    await page.waitForURL(/\/schema\//)
    const main = page.getByRole('navigation', { name: 'Main' })
    await main.getByRole('link', { name: 'Attestations' }).click()
    await expectAll(page, 'Chain', 'Linea Verax')
    expect(search(page)).toEqual({ chainId: '59144', protocol: 'verax' })
    await main.getByRole('link', { name: 'Agents' }).click()
    await page.waitForURL(/agents/)
    expect(search(page)).toEqual({ chainId: '59144' })
    await main.getByRole('link', { name: 'Verify' }).click()
    await page.getByRole('heading', { name: 'Verify an attestation, a proof or a verdict' }).waitFor()
    await choice.selectOption('All chains')
    await page.waitForURL(`${stage.site.url}/attestations`)
  })
})

test('schemas are listed from the newest, the oldest or the most used one, and chains by a column', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schemas?chainId=${demoChainId}`)
    const first = () => page.locator('main tbody tr').first().getByRole('link').first()
    await page.getByLabel('Order').selectOption('Oldest first')
    await page.waitForURL(/order=oldest/)
    await first().filter({ hasText: 'KYC Level 2' }).waitFor()
    await page.getByLabel('Order').selectOption('Most attestations (top 10)')
    await page.waitForURL(/order=top/)
    await page.getByRole('table', { name: 'Schemas with the most attestations' }).waitFor()
    await settle(page)
    const counts = (await columnOf(page, 'Attestations')).map(Number)
    expect(counts).toHaveLength(10)
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    const head = page.getByRole('columnheader', { name: 'Attestations' })
    expect(await head.getAttribute('aria-sort')).toBe('descending')
    await head.getByRole('button').click()
    await page.waitForURL(`${stage.site.url}/schemas`)

    await open(page, '/chains')
    const names = await columnOf(page, 'Chain')
    await page.getByRole('columnheader', { name: 'Chain' }).getByRole('button').click()
    await page.waitForURL(/order=name/)
    await page.reload()
    await settle(page)
    expect(await columnOf(page, 'Chain')).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')))
  })
})

test('attestations are filtered by status, and an invalid filter is reported', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/attestations')
    await page.getByLabel('Status').selectOption('Revoked')
    await page.waitForURL(/revoked=true/)
    await expectAll(page, 'Status', 'Revoked')
    await page.getByLabel('Attester').fill('0x12')
    await page.getByLabel('Attester').press('Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: /address/i })
      .waitFor()
    expect(search(page)).toEqual({ revoked: 'true' })
  })
})

test('while a list is awaited, an empty list before it does not say that nothing passes', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/attestations?chainId=${demoChainId}&attester=${nobody}`)
    const empty = page.getByText('No attestation passes these filters')
    await empty.waitFor()
    const held: Route[] = []
    // The list itself: the number of new rows is asked for apart.
    await page.route('**/scan/attestations?*fields=detail*', (route) => void held.push(route))
    await page.getByRole('button', { name: 'Remove the filter Attester' }).click()
    await expect.poll(() => held.length, { timeout: limitMs }).toBe(1)
    await empty.waitFor({ state: 'detached' })
    await held.shift()?.continue()
    const range = page.getByRole('navigation', { name: 'Pages of attestations' })
    await range.getByText(/^1 to /).waitFor()
    const opacity = () => range.evaluate((element) => getComputedStyle(element).opacity)
    const records = page.getByRole('main').getByRole('link', { name: /^0x/ })
    expect(await opacity()).toBe('1')
    // While a page is awaited, the rows of the page before stand there, dimmed, and so does their number.
    await range.getByRole('link', { name: 'Next page' }).click()
    await expect.poll(() => held.length, { timeout: limitMs }).toBe(1)
    await expect.poll(opacity, { timeout: limitMs }).toBe('0.55')
    expect(await records.count()).toBeGreaterThan(0)
    await held.shift()?.continue()
    await expect.poll(opacity, { timeout: limitMs }).toBe('1')
    // No row stands under filters that it does not answer.
    await page.getByLabel('Status').selectOption('Revoked')
    await expect.poll(() => held.length, { timeout: limitMs }).toBe(1)
    await records.first().waitFor({ state: 'detached' })
    await held.shift()?.continue()
    await records.first().waitFor()
  })
})

test('Enter in a filter applies it, an input method that ends a word does not, and a mistake goes with its text', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/schemas')
    const filter = page.getByLabel('Name or description')
    const keys = await page.context().newCDPSession(page)
    await filter.focus()
    await keys.send('Input.imeSetComposition', { text: 'KY', selectionStart: 2, selectionEnd: 2 })
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229 }
    await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
    expect(new URL(page.url()).search).toBe('')
    await keys.send('Input.insertText', { text: 'KYC' })
    await page.keyboard.press('Enter')
    await page.waitForURL(/keyword=KYC$/)

    // Text typed right after Enter stays, although the address follows later.
    await filter.fill('KYC L')
    await filter.evaluate((field: HTMLInputElement) => {
      field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))
      document.execCommand('insertText', false, 'evel')
    })
    await page.waitForURL(/keyword=KYC(?:\+|%20)L$/)
    await settle(page)
    expect(await filter.inputValue()).toBe('KYC Level')

    await open(page, '/attestations')
    const attester = page.getByLabel('Attester')
    const places = async () => [
      await attester.boundingBox(),
      await page.getByLabel('Status').boundingBox(),
      await page.getByRole('row').first().boundingBox(),
    ]
    const before = await places()
    await attester.fill('nobody')
    await attester.press('Enter')
    await page.getByText('Attester: An address is 0x and 40 hexadecimal digits.').waitFor()
    expect(await attester.getAttribute('aria-invalid')).toBe('true')
    // A mistake moves nothing.
    expect(await places()).toEqual(before)
    await attester.fill('')
    await attester.press('Enter')
    await expect.poll(() => attester.getAttribute('aria-invalid')).toBe('false')
  })
})

test('exports exactly the rows that the filters of the list leave', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/attestations?chainId=${easChainId}`)
    const href = await page.getByRole('link', { name: 'Export NDJSON' }).getAttribute('href')
    const lines = (await (await fetch(stage.site.url + (href ?? ''))).text()).trim().split('\n')
    // Including the filter by schema.
    expect(lines).toHaveLength(easAttestations + 1)
    expect(lines.every((line) => line.includes(`"chainId":"${easChainId}"`))).toBe(true)
  })
})

test('the records of an address are narrowed to one chain, in each of its tabs', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/address/${account}`)
    await page.getByLabel('Lists show').selectOption('Demo')
    await page.waitForURL(/chainId=31337/)
    await expectAll(page, 'Chain', 'Demo Sign Protocol')
    await page.getByLabel('Recipient').fill(nobody)
    await page.getByLabel('Recipient').press('Enter')
    await page.getByText('No attestation passes these filters').waitFor()
    await page.getByRole('tab', { name: /Schemas/ }).click()
    await page.waitForURL(/tab=schemas/)
    expect(search(page)).toEqual({ chainId: String(demoChainId), tab: 'schemas' })
    await page.getByRole('table', { name: 'Schemas that it registered' }).waitFor()
    await expectAll(page, 'Chain', 'Demo Sign Protocol')
  })
})

test.each(firstCases(1, ['/attestations', '/schemas', `/address/${account}`]))(
  'on a phone, cards of %s out of sight are as tall as they are once they are seen: positions can be restored',
  async (path) => {
    await stage.withPage({ width: 390 }, async (page) => {
      await open(page, path)
      // The last part of the page comes once all else is there.
      await page.getByRole('heading', { name: 'Use it from code' }).waitFor()
      const heightOf = () => page.evaluate(() => document.documentElement.scrollHeight)
      const estimated = await heightOf()
      const last = page.locator('main tbody tr').last()
      const isDrawn = () =>
        last.evaluate((row) => row.firstElementChild?.checkVisibility({ contentVisibilityAuto: true }))
      expect(await isDrawn()).toBe(false)
      for (const row of await page.locator('main tbody tr').all()) await row.scrollIntoViewIfNeeded()
      await expect.poll(isDrawn).toBe(true)
      await settle(page)
      expect(Math.abs((await heightOf()) / estimated - 1)).toBeLessThan(0.04)
    })
  },
)

nightTest('on a phone, a row of a list has at most 110 px', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    for (const path of [
      '/attestations',
      `/attestations?chainId=${easChainId}`,
      '/schemas',
      '/agents',
      '/search?q=0x1',
    ]) {
      await open(page, path)
      const rows = await page.locator('main tbody tr').all()
      expect(rows.length).toBeGreaterThan(3)
      for (const row of rows.slice(0, 12)) {
        await row.scrollIntoViewIfNeeded()
        expect([path, (await row.boundingBox())?.height]).toEqual([path, expect.toSatisfy((px) => px <= 110)])
      }
    }
  })
})

nightTest(
  'a row of a list has no timers of its own, which would take a phone half a second for 100 rows',
  async () => {
    await stage.withPage({}, async (page) => {
      await page.addInitScript(() => {
        const counted = { repeated: 0 }
        Object.assign(window, { attestryTimers: counted })
        const original = window.setInterval.bind(window)
        window.setInterval = ((...given: Parameters<typeof original>) => {
          counted.repeated++
          return original(...given)
        }) as typeof window.setInterval
      })
      await open(page, '/attestations?size=100')
      expect(await page.locator('main tbody tr').count()).toBe(100)
      const repeated = await page.evaluate(
        () => (window as unknown as { attestryTimers: { repeated: number } }).attestryTimers.repeated,
      )
      expect(repeated).toBeLessThan(10)
    })
  },
)
