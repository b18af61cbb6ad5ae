import type { Page, Route } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { firstCases, isNightly, nightTest } from '../harness/nightly.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { easAttestationId } from './fixture/easBlocks.ts'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { oddAttestationId } from './fixture/oddBlocks.ts'

const stage = useStage()
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const suggestionsCode = /\/assets\/Typeahead-[\w-]+\.js$/

const localId = (id: string) => id.split('_').at(-1) ?? ''
const attestation = easAttestationId(0)
const uid = localId(attestation)
let transaction = ''

beforeAll(async () => {
  const answer = await fetch(`${stage.site.url}/scan/attestations/${oddAttestationId('valid')}`)
  const { data } = (await answer.json()) as { data: { transactionHash: string } }
  transaction = data.transactionHash
})

/** The page that Enter opens, by keyword. */
const goals = (): readonly (readonly [keyword: string, path: string])[] => [
  ['nothing-is-called-this', '/search?q=nothing-is-called-this'],
  ['KYC Level 2', '/search?q=KYC+Level+2'],
  ['a', '/search?q=a'],
  ['0x1', '/search?q=0x1'],
  ['0x40', `/attestation/onchain_evm_${demoChainId}_0x40`],
  [` ${account} `, `/address/${account}`],
  [`onchain_evm_${demoChainId}_0x64`, `/attestation/onchain_evm_${demoChainId}_0x64`],
  [`onchain_evm_${demoChainId}_0xfffff`, `/search?q=onchain_evm_${demoChainId}_0xfffff`],
  [uid.toUpperCase().replace('X', 'x'), `/attestation/${attestation}`],
  [transaction, `/transaction/${transaction}`],
  [`https://optimism.easscan.org/attestation/view/${uid}`, `/attestation/${attestation}`],
]

/** A goal where nothing is found, few, many, and one record. */
const goalKinds = () => goals().filter((_, nth) => [0, 1, 2, 4].includes(nth))

/** The suggestions; the choice of a chain in the head has options too. */
const suggestions = (page: Page) => page.getByRole('listbox').getByRole('option')
const field = (page: Page) => page.getByLabel('Search schemas, attestations and addresses')
const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search
const suggestionsAreThere = (page: Page) => page.locator('form [role="combobox"]').waitFor()

/** Focuses the field with suggestions, which keeps the keyword that led to a record when the reader goes back. */
async function focusEmptied(page: Page): Promise<void> {
  await field(page).focus()
  await suggestionsAreThere(page)
  await field(page).fill('')
}

async function open(page: Page, path: string): Promise<void> {
  await page.goto(stage.site.url + path)
  await settle(page)
}

/** The suggestions before they are loaded, while they load, and after; each lets Enter be pressed in its moment. */
const moments = {
  'when their code cannot be loaded': async (page: Page, search: () => Promise<void>) => {
    await page.route(suggestionsCode, (route) => route.abort('connectionrefused'))
    await field(page).focus()
    await search()
  },
  'while their code is loading': async (page: Page, search: () => Promise<void>) => {
    const held: Route[] = []
    await page.route(suggestionsCode, (route) => void held.push(route))
    await field(page).focus()
    await expect.poll(() => held.length).toBe(1)
    await search()
    await held[0]?.continue()
  },
  'when they are there': async (page: Page, search: () => Promise<void>) => {
    await focusEmptied(page)
    await search()
  },
}

/** The home page and the head of all other pages have a field each. */
const places = [
  { width: 1440, path: '/' },
  { width: 390, path: '/verify' },
]
const cases = firstCases(1, places).flatMap((place) =>
  Object.entries(moments).map(([moment, at]) => ({ ...place, moment, at })),
)

test.each(cases)(
  'Enter searches from $path at $width px, suggestions $moment',
  async ({ width, moment, at, path }) => {
    const areThere = moment === 'when they are there'
    // Enter means the same in every place and moment: each kind of goal where one of both is another.
    const asked = areThere || isNightly ? goalKinds() : goals().slice(1, 2)
    await stage.withPage({ width }, async (page) => {
      for (const [nth, [keyword, goal]] of asked.entries()) {
        // If the case loads the suggestions, the page must not have loaded them before.
        if (nth === 0 || !areThere) await open(page, path)
        await at(page, async () => {
          await page.keyboard.type(keyword)
          await page.keyboard.press('Enter')
        })
        await page.waitForURL(stage.site.url + goal)
        await settle(page)
        expect(pathOf(page)).toBe(goal)
        await page.unrouteAll()
        if (!areThere) continue
        await page.goBack()
        await page.waitForURL(stage.site.url + path)
        await settle(page)
      }
    })
  },
)

test.each(firstCases(0, [390, 1440]))(
  'Enter searches after suggestions have come, at %i px',
  async (width) => {
    await stage.withPage({ width }, async (page) => {
      await open(page, '/verify')
      for (const [keyword, goal] of width === 1440 ? goals() : goalKinds()) {
        await focusEmptied(page)
        await page.keyboard.type(keyword)
        await suggestions(page)
          .or(page.getByText(/^Nothing found/))
          .first()
          .waitFor()
        await page.keyboard.press('Enter')
        await page.waitForURL(stage.site.url + goal)
        await settle(page)
        expect(await page.locator('[role="option"]').count()).toBe(0)
        await page.goBack()
        await page.waitForURL(`${stage.site.url}/verify`)
        await settle(page)
      }
    })
  },
)

nightTest('the button searches as Enter does, and without a text leads into the field', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/')
    // While suggestions are open, Base UI hides all but the field from readers of the screen.
    const button = page.locator('form[role="search"] button[type="submit"]')
    await button.click()
    expect(await page.evaluate(() => document.activeElement?.outerHTML)).toMatch(/^<input/)
    await page.keyboard.type('KYC')
    await suggestions(page).first().waitFor()
    await button.click()
    await page.waitForURL(`${stage.site.url}/search?q=KYC`)
  })
})

test('a pointer that rests on a suggestion chooses nothing at Enter; the arrow keys do', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/')
    await field(page).focus()
    await page.keyboard.type('KYC')
    const option = suggestions(page).first()
    await option.hover()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${stage.site.url}/search?q=KYC`)

    // The head and its field stay when the page changes.
    await open(page, '/schemas')
    await field(page).focus()
    await page.keyboard.type('KYC')
    await option.waitFor()
    await page.keyboard.press('ArrowDown')
    await page.locator('[role="option"][data-highlighted]').waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/schema\/onchain_evm_/)
    await settle(page)
    expect(await field(page).inputValue()).toBe('')
  })
})

test('all results are all, also where the keyword names one record', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/')
    await field(page).focus()
    await suggestionsAreThere(page)
    const all = page.getByRole('option', { name: /^See all/ })
    await field(page).fill('0x4')
    await all.waitFor()
    // The number of results of another keyword is not said of this one.
    const held: Route[] = []
    await page.route('**/scan/search?*', (route) => void held.push(route))
    await field(page).fill('0x40')
    await expect.poll(() => held.length).toBe(1)
    expect(await all.count()).toBe(0)
    expect(await page.getByRole('listbox').last().getAttribute('aria-busy')).toBe('true')
    await held[0]?.continue()
    await page.unroute('**/scan/search?*')
    await all.click()
    await page.waitForURL(`${stage.site.url}/search?q=0x40`)
    await page.getByRole('heading', { name: /^Attestations \(\d\d/ }).waitFor()
    expect(pathOf(page)).toBe('/search?q=0x40')
  })
})

test('found attestations show schema, first fields, status and time', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/search?q=${uid}`)
    const row = page
      .getByRole('table', { name: 'Attestations that were found' })
      .getByRole('row')
      .filter({ has: page.locator(`[title="${attestation}"]`) })
    await row.getByRole('link', { name: 'Code Review' }).waitFor()
    await expect
      .poll(async () => (await row.innerText()).replaceAll(/\s+/g, ' '))
      .toMatch(/score 60.* Valid OP Mainnet EAS .* ago$/)
  })
})

test('an Enter that ends the input of a word searches nothing, and loading suggestions keeps the word', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/')
    const held: Route[] = []
    await page.route(suggestionsCode, (route) => void held.push(route))
    const keys = await page.context().newCDPSession(page)
    await field(page).focus()
    await keys.send('Input.imeSetComposition', { text: 'ほん', selectionStart: 2, selectionEnd: 2 })
    await expect.poll(() => held.length).toBe(1)
    const loaded = page.waitForResponse(suggestionsCode)
    await held[0]?.continue()
    await (await loaded).finished()
    // The event that a page gets from an input method for the key that ends a word.
    const enter = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 229, nativeVirtualKeyCode: 229 }
    await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
    expect(await field(page).inputValue()).toBe('ほん')
    await keys.send('Input.insertText', { text: '本' })
    await suggestionsAreThere(page)
    expect(await field(page).inputValue()).toBe('本')
    await keys.send('Input.imeSetComposition', { text: 'ほん', selectionStart: 2, selectionEnd: 2 })
    await keys.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...enter })
    await keys.send('Input.insertText', { text: '本' })
    expect(await field(page).inputValue()).toBe('本本')
    expect(pathOf(page)).toBe('/')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${stage.site.url}/search?q=${encodeURIComponent('本本')}`)
  })
})

test('selected text stays selected when the suggestions are loaded', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/search?q=KYC')
    await page.keyboard.press('/')
    await suggestionsAreThere(page)
    await page.keyboard.type('Vote')
    expect(await field(page).inputValue()).toBe('Vote')
  })
})

test('Escape closes the suggestions, then empties the field, and searches nothing', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/')
    await field(page).focus()
    await page.keyboard.type('KYC')
    const options = suggestions(page)
    await options.first().waitFor()
    await page.keyboard.press('Escape')
    await options.first().waitFor({ state: 'hidden' })
    expect(await field(page).inputValue()).toBe('KYC')
    await page.keyboard.press('Escape')
    await expect.poll(() => field(page).inputValue()).toBe('')
    await page.keyboard.press('Enter')
    expect(pathOf(page)).toBe('/')
  })
})
