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

const passes = 'This address passes'
const fails = 'This address does not pass'
const verdict = (page: Page, name: string) => page.getByRole('heading', { name, exact: true })

/** The terms with the result of each, as a screen reader reads them. */
async function termsOf(page: Page): Promise<readonly string[]> {
  await page.getByRole('heading', { name: 'Reasons' }).waitFor()
  const terms = page.locator('section', { hasText: 'Reasons' }).locator('li > div > span:first-of-type')
  return await terms.allTextContents()
}

test('an address page leads to a verdict by the keyboard, and its reasons to the records', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    await open(page, `/address/${account}`)
    await page.getByRole('link', { name: 'Check a policy' }).press('Enter')
    await page.waitForURL(`**/gate?*address=${account}`)
    const address = page.getByRole('textbox', { name: 'Check this address' })
    expect(await address.inputValue()).toBe(account)
    await verdict(page, fails).waitFor()
    expect(new URL(page.url()).search).toBe(`?policy=kyc-level-2&address=${account}`)
    expect(await termsOf(page)).toEqual(['All of: false', 'Holds: false', 'Not: false', 'Holds: true'])
    // The form never stands beside a verdict on another address.
    await address.press('End')
    await address.press('Backspace')
    await verdict(page, fails).waitFor({ state: 'hidden' })
    await address.press('8')
    await verdict(page, fails).waitFor()
    expect(await address.evaluate((input) => input === document.activeElement)).toBe(true)
    const reasons = page.locator('section', { hasText: 'Reasons' })
    const record = reasons.locator('a[href*="/attestation/"]').first()
    const id = await record.getAttribute('title')
    await record.press('Enter')
    await page.waitForURL((url) => url.pathname === `/attestation/${id}`)
    await page.goBack()
    await verdict(page, fails).waitFor()
    expect(await address.inputValue()).toBe(account)
  })
})

test('a policy is built in the form, and the verdict follows', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/gate?address=${account}`)
    await page.getByRole('combobox', { name: 'Policy' }).selectOption('A policy of my own')
    await page.getByRole('button', { name: 'Change the schema' }).click()
    const search = page.getByRole('combobox', { name: 'Schema' })
    await search.fill('event attend')
    await page.getByRole('option', { name: /Event Attendance/ }).waitFor()
    await search.press('Enter')
    await page.getByText('Choose at least one attester').waitFor()
    await page.getByRole('checkbox', { name: 'Anyone' }).check()
    await page.getByText('Anybody can attest under a schema').waitFor()
    await page
      .getByRole('button', { name: 'JSON' })
      .or(page.getByText('JSON', { exact: true }))
      .click()
    const rule = page.getByRole('textbox', { name: 'The policy, as JSON' })
    const policy = JSON.parse(await rule.inputValue()) as { readonly holds: object }
    expect(policy).toMatchObject({ holds: { schema: `onchain_evm_${demoChainId}_0x2`, attester: 'any' } })
    // The chains of this index are as old as their fixture.
    await rule.fill(JSON.stringify({ ...policy, maxStaleness: '1000w' }))
    await verdict(page, passes).waitFor()
    expect(await termsOf(page)).toEqual(['Holds: true'])
    await page.getByText('Form', { exact: true }).click()
    await page.getByText('Does not hold', { exact: true }).click()
    await verdict(page, fails).waitFor()
    const asked = new URL(page.url()).searchParams.get('rule')
    expect(JSON.parse(asked ?? '')).toEqual({
      not: policy.holds && { holds: policy.holds },
      maxStaleness: '1000w',
    })
    const code = page.getByRole('region', { name: 'By REST, with curl' })
    expect(await code.textContent()).toContain(asked)
  })
})

test('attesters and values narrow a policy', async () => {
  await stage.withPage({}, async (page) => {
    const schema = `onchain_evm_${demoChainId}_0x1`
    await open(page, `/schema/${schema}`)
    const link = page.getByRole('link', { name: 'Check an address' })
    // The link names the attesters once they are known.
    await expect
      .poll(async () => decodeURIComponent((await link.getAttribute('href')) ?? ''))
      .toMatch(/attester[^0]+0x/)
    await link.click()
    await page.waitForURL('**/gate?rule=*')
    const ruleOf = () => JSON.parse(new URL(page.url()).searchParams.get('rule') ?? '') as unknown
    expect(ruleOf()).toMatchObject({
      holds: { schema, attester: expect.arrayContaining([expect.stringMatching(/^0x/)]) as unknown },
    })
    const ticks = page
      .getByRole('group', { name: 'Attested by one of' })
      .getByRole('checkbox', { checked: true })
    await ticks.first().waitFor()
    const count = await ticks.count()
    expect(count).toBeGreaterThan(1)
    await ticks.first().uncheck()
    expect(await ticks.count()).toBe(count - 1)
    await page.getByRole('button', { name: 'Add a value' }).click()
    await page.getByRole('combobox', { name: 'Field' }).selectOption('level')
    await page.getByRole('combobox', { name: 'Condition on level' }).selectOption('is at least')
    await page.getByRole('textbox', { name: 'Value of level' }).fill('2')
    await page.getByRole('combobox', { name: 'Age' }).selectOption('At most 30 days old')
    await expect
      .poll(ruleOf)
      .toMatchObject({ holds: { schema, field: { level: { gte: 2 } }, maxAge: '30d' } })
  })
})

test('mistakes of a policy and a moment are reported, and a policy beyond the form stays JSON', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/gate?address=${account}`)
    await page.getByRole('combobox', { name: 'Policy' }).selectOption('A policy of my own')
    await page.getByText('JSON', { exact: true }).click()
    const rule = page.getByRole('textbox', { name: 'The policy, as JSON' })
    await rule.fill('{ holds: {} }')
    await page.getByText('This is no JSON').first().waitFor()
    expect(await rule.getAttribute('aria-invalid')).toBe('true')
    await rule.fill('{ "holds": { "schema": "x", "attester": "any" } }')
    await page
      .getByRole('alert')
      .getByText(/policy\.holds\.schema must be the composite id/)
      .waitFor()
    const asOf = page.getByRole('textbox', { name: /As of/ })
    await asOf.fill('yesterday')
    await asOf.press('Enter')
    await page.getByText('A moment is a block').first().waitFor()
    await asOf.fill('')
    const schema = `onchain_evm_${demoChainId}_0x2`
    const policy = { not: { not: { holds: { schema, attester: 'any' } } }, maxStaleness: '1000w' }
    await rule.fill(JSON.stringify(policy))
    await verdict(page, passes).waitFor()
    await page.getByText('Form', { exact: true }).click()
    await page.getByText('says more than the form can show').waitFor()
    await open(page, page.url().slice(stage.site.url.length))
    await verdict(page, passes).waitFor()
  })
})

test('a file of addresses becomes a file of verdicts', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/gate?policy=kyc-level-2&address=${account}`)
    const content = `\uFEFFname;address\r\nAnn;${account}\r\n;0x${'12'.repeat(20)}\r\n`
    const list = { name: 'members.csv', mimeType: 'text/csv', buffer: Buffer.from(content) }
    await page.getByLabel('A file of addresses').setInputFiles(list)
    await page.getByText('2 addresses, 1 line without one').waitFor()
    await page.getByRole('button', { name: 'Judge them' }).click()
    await page.getByText('0 pass, 2 do not pass, 0 not known').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'verdicts.csv' }).click()
    const file = await (await downloading).createReadStream()
    const lines = Buffer.concat((await file.toArray()) as Buffer[])
      .toString()
      .split('\r\n')
    expect(lines[1]).toMatch(new RegExp(`^${account},deny,`))
    expect(lines).toHaveLength(4)
  })
})

test('a signed verdict is checked on the page Verify, and a changed one is refused', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/gate?policy=kyc-level-2&address=${account}`)
    await page.getByRole('button', { name: 'Sign the verdict' }).click()
    const token = await page.getByRole('region', { name: 'The signed verdict' }).textContent()
    await page.getByRole('link', { name: 'Check it' }).click()
    await page.getByRole('heading', { name: 'This server signed: the address does not pass' }).waitFor()
    await page.getByText('kyc-level-2').first().waitFor()
    const [head = '', body = '', signature = ''] = (token ?? '').split('.')
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
    const forged = Buffer.from(JSON.stringify({ ...claims, verdict: 'allow' })).toString('base64url')
    await page.getByRole('textbox', { name: /signed verdict/ }).fill(`${head}.${forged}.${signature}`)
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    const refusal = page.getByText('No key of the set has signed the verdict.')
    await refusal.waitFor()
    expect(await page.getByRole('heading', { name: /does not hold/ }).count()).toBe(1)
  })
})

test('a server with only named policies offers no other, and one without any says so', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    const answer = (data: object) => ({
      contentType: 'application/json',
      body: JSON.stringify({ success: true, statusCode: 200, data, message: 'ok' }),
    })
    const rows = [
      {
        name: 'kyc',
        policyHash: 'ab'.repeat(32),
        policy: { holds: { schema: 'onchain_evm_1_0x1', attester: 'any' } },
        chainIds: ['1'],
      },
    ]
    await page.route('**/scan/policies', (route) =>
      route.fulfill(answer({ rows, allowsInline: false, signs: false })),
    )
    await open(page, '/gate')
    const policy = page.getByRole('combobox', { name: 'Policy' })
    expect(await policy.getByRole('option').allTextContents()).toEqual(['kyc'])
    expect(await page.getByRole('checkbox', { name: 'Anyone' }).isDisabled()).toBe(true)
    await page.unroute('**/scan/policies')
    await page.route('**/scan/policies', (route) =>
      route.fulfill(answer({ rows: [], allowsInline: false, signs: false })),
    )
    await open(page, '/gate')
    await page.getByText('This server has no policies').waitFor()
  })
})
