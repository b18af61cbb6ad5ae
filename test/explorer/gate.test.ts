import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'

const stage = useStage()
const account = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

/** The terms with what each comes to, as someone who cannot see hears them. */
async function termsOf(page: Page): Promise<readonly string[]> {
  await page.getByRole('heading', { name: 'Term by term' }).waitFor()
  const terms = page.locator('section', { hasText: 'Term by term' }).locator('li > div > span:first-of-type')
  return await terms.allTextContents()
}

test('a policy is tried by the keyboard alone, and the reasons lead to the records', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    await open(page, `/address/${account}`)
    await page.getByRole('link', { name: 'Try a policy' }).press('Enter')
    await page.waitForURL(`**/gate?address=${account}`)
    const address = page.getByRole('textbox', { name: 'Address', exact: true })
    expect(await address.inputValue()).toBe(account)
    // Nothing is judged before a policy is chosen, and nothing is a mistake yet.
    expect(await page.getByRole('heading', { level: 2 }).count()).toBe(0)
    expect(await address.getAttribute('aria-invalid')).toBe('false')
    await address.press('Enter')
    await page.getByRole('heading', { name: /The policy does not let this address through/ }).waitFor()
    expect(new URL(page.url()).search).toBe(`?policy=kyc-level-2&address=${account}`)
    expect(await termsOf(page)).toEqual(['All of: false', 'Holds: false', 'Not: false', 'Holds: true'])
    // The focus stays where it was.
    expect(await address.evaluate((input) => input === document.activeElement)).toBe(true)
    // A verdict on another address than that of the form is not shown.
    const verdict = page.getByRole('heading', { name: /The policy does not let this address through/ })
    await address.press('End')
    await address.press('Backspace')
    await verdict.waitFor({ state: 'hidden' })
    await address.press('8')
    await verdict.waitFor()
    const record = page.locator('section', { hasText: 'Term by term' }).getByRole('link').first()
    const id = await record.getAttribute('title')
    await record.press('Enter')
    await page.waitForURL((url) => url.pathname === `/attestation/${id}`)
    await page.goBack()
    await page.getByRole('heading', { name: /does not let this address through/ }).waitFor()
    expect(await address.inputValue()).toBe(account)
  })
})

test('a policy of the reader is judged, its mistakes are told, and the history goes back to it', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/gate')
    await page.getByRole('combobox', { name: 'Policy' }).selectOption('A policy of my own')
    const rule = page.getByRole('textbox', { name: 'The policy, as JSON' })
    const asOf = page.getByRole('textbox', { name: /As of/ })
    await rule.fill('{ holds: {} }')
    await asOf.fill('yesterday')
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill('')
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByText('This is no JSON').waitFor()
    await page.getByText('An address is 0x and 40 hexadecimal digits.').waitFor()
    await page.getByText('A moment is a block').waitFor()
    expect(await rule.getAttribute('aria-invalid')).toBe('true')
    expect(new URL(page.url()).search).toBe('')

    await rule.fill('{ "holds": { "schema": "x", "attester": "any" } }')
    await page.getByRole('textbox', { name: 'Address', exact: true }).fill(account)
    await asOf.fill('')
    await page.getByRole('button', { name: 'Try' }).click()
    await page
      .getByRole('alert')
      .getByText(/policy\.holds\.schema must be the composite id/)
      .waitFor()

    const schema = `onchain_evm_${demoChainId}_0x2`
    const policy = { not: { holds: { schema, attester: 'any' } }, maxStaleness: '1000w' }
    await rule.fill(JSON.stringify(policy))
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByRole('heading', { name: /does not let this address through/ }).waitFor()
    expect(await termsOf(page)).toEqual(['Not: false', 'Holds: true'])
    const link = page.url()

    await page.goBack()
    await page.getByRole('alert').waitFor()
    expect(await rule.inputValue()).toContain('"x"')
    await open(page, new URL(link).pathname + new URL(link).search)
    await page.getByRole('heading', { name: /does not let this address through/ }).waitFor()
    expect(JSON.parse(await rule.inputValue())).toEqual(policy)
  })
})

test('a first try needs nothing but a press: policy and address are of this index', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/gate')
    const address = page.getByRole('textbox', { name: 'Address', exact: true })
    await expect.poll(async () => await address.inputValue()).toMatch(/^0x[0-9a-fA-F]{40}$/)
    await page.getByRole('button', { name: 'Try' }).click()
    await page
      .getByRole('heading', { name: /^The policy (?:lets|does not let) this address through$/ })
      .waitFor()

    await open(page, '/gate')
    await page.getByRole('combobox', { name: 'Policy' }).selectOption('A policy of my own')
    const rule = page.getByRole('textbox', { name: 'The policy, as JSON' })
    await expect.poll(async () => await rule.inputValue()).toContain('"attester": [')
    const policy = JSON.parse(await rule.inputValue()) as object
    // The chains of this index are as old as their fixture.
    await rule.fill(JSON.stringify({ ...policy, maxStaleness: '1000w' }))
    await page.getByRole('button', { name: 'Try' }).click()
    await page.getByRole('heading', { name: 'The policy lets this address through' }).waitFor()
  })
})

test('a schema leads to a first policy under it', async () => {
  await stage.withPage({}, async (page) => {
    const schema = `onchain_evm_${demoChainId}_0x1`
    await open(page, `/schema/${schema}`)
    await page.getByRole('link', { name: 'Try a policy' }).click()
    await page.waitForURL('**/gate?rule=*')
    const rule = page.getByRole('textbox', { name: 'The policy, as JSON' })
    expect(JSON.parse(await rule.inputValue())).toMatchObject({
      holds: { schema, attester: expect.arrayContaining([expect.stringMatching(/^0x/)]) as unknown },
    })
  })
})

test('a server of named policies alone offers no other, and one without any says so', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    const answer = (data: object) => ({
      contentType: 'application/json',
      body: JSON.stringify({ success: true, statusCode: 200, data, message: 'ok' }),
    })
    const rows = [{ name: 'kyc', policyHash: 'ab'.repeat(32), policy: { holds: {} }, chainIds: ['1'] }]
    await page.route('**/scan/policies', (route) =>
      route.fulfill(answer({ rows, allowsInline: false, signs: false })),
    )
    await open(page, '/gate')
    expect(await page.locator('main').getByRole('option').allTextContents()).toEqual(['kyc'])
    await page.unroute('**/scan/policies')
    await page.route('**/scan/policies', (route) =>
      route.fulfill(answer({ rows: [], allowsInline: false, signs: false })),
    )
    await open(page, '/gate')
    await page.getByText('This server has no policies').waitFor()
  })
})
