import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { watchPage } from './browser/watchPage.ts'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { sharedSchemaId, veraxAttestationId, veraxIssuer } from './fixture/veraxBlocks.ts'
import {
  lookAlike,
  oddAttestationId,
  oddAttester,
  oddSchemaId,
  type OddAttestation,
} from './fixture/oddBlocks.ts'
import { firstCases, nightTest } from '../harness/nightly.ts'

const stage = useStage()

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

test('the last page of a list is one click away, and has the oldest records', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/attestations')
    await page.getByRole('link', { name: 'Last page' }).click()
    await page.waitForURL(/page=\d+/)
    const range = page.getByRole('navigation', { name: 'Pages of attestations' })
    await range.getByText(/^1,6\d\d to (1,6\d\d) of \1 attestations/).waitFor()
    expect(await page.getByRole('link', { name: 'Next page' }).getAttribute('aria-disabled')).toBe('true')
  })
})

test('the chart of the home page is split by chain and by protocol, and says the same in a table', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/')
    const chart = page.getByRole('figure', { name: 'Attestations per day' })
    await page.getByRole('radio', { name: 'By chain' }).click()
    await chart.getByText('OP Mainnet').waitFor()
    await page.getByRole('radio', { name: 'By protocol' }).click()
    await chart.getByText('EAS').waitFor()
    await chart.getByText('Show as a table').click()
    await chart.getByRole('columnheader').first().waitFor()
    const headers = await chart.getByRole('columnheader').allTextContents()
    expect(headers).toEqual(['Day', 'Sign Protocol', 'EAS', 'ERC-8004', 'Verax'])
  })
})

test('a schema whose id another protocol has too is shown with its own attestations where the page names its protocol', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${sharedSchemaId}`)
    await page.getByText('Nobody has attested under this schema.').waitFor()
    await open(page, '/schemas?protocol=verax')
    await page.getByRole('link', { name: 'Like of another protocol' }).click()
    await page.waitForURL(/protocol=verax/)
    await page.getByRole('heading', { name: 'Like of another protocol' }).waitFor()
    await page
      .getByRole('region', { name: 'Attestations under the schema' })
      .getByRole('link')
      .first()
      .click()
    await page.waitForURL(`${stage.site.url}/attestation/${veraxAttestationId(3)}?protocol=verax`)
    await page.getByRole('heading', { name: 'Like of another protocol' }).waitFor()
    const schema = page.getByRole('main').getByRole('link', { name: 'Like of another protocol' })
    expect(await schema.first().getAttribute('href')).toBe(`/schema/${sharedSchemaId}?protocol=verax`)
  })
})

test('a record, an address and a list are shown as of a moment, with a bar that says so and ends it', async () => {
  const read = async <Data>(path: string) =>
    ((await (await fetch(stage.site.url + path)).json()) as { data: Data }).data
  const { rows } = await read<{ rows: { id: string; attester: string }[] }>(
    `/scan/attestations?revoked=true&chainId=${demoChainId}&size=1`,
  )
  const { id = '', attester = '' } = rows[0] ?? {}
  const record = await read<{ revokeTimestamp: string }>(`/scan/attestations/${id}`)
  await stage.withPage({ width: 390 }, async (page) => {
    await open(page, `/attestation/${id}`)
    const status = page.getByRole('heading', { name: /^Status:/ })
    expect(await status.textContent()).toContain('Revoked')
    const field = page.getByRole('textbox', { name: 'As of' })
    // The page scrolls down to the field, and its last cards load.
    const hasFocus = () => field.evaluate((element) => element === document.activeElement)
    await field.focus()
    await settle(page)
    expect(await hasFocus()).toBe(true)
    await field.fill('the day before')
    await field.press('Enter')
    const mistake = page.getByText('Give a day such as')
    await mistake.waitFor()
    await field.fill(String(Number(record.revokeTimestamp) - 1))
    await field.press('Enter')
    const bar = page.getByText('You see the past')
    await bar.waitFor()
    await expect.poll(() => status.textContent()).not.toContain('Revoked')
    expect(await hasFocus()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    const printed = await page.getByRole('main').innerText()
    expect(printed).toMatch(/You see the past, .*Valid at the moment above/s)
    expect(printed).not.toContain('as of block')
    await page.emulateMedia({ media: 'screen' })
    // Links keep the moment.
    await page.getByRole('main').locator('a[href^="/schema/"]').first().click()
    await page.waitForURL(/\/schema\/.*asOf=/)
    await bar.waitFor()
    const filter = `chainId=${demoChainId}&asOf=${Number(record.revokeTimestamp) - 1}`
    const { total } = await read<{ total: number }>(`/scan/attestations?${filter}`)
    await open(page, `/attestations?${filter}`)
    await page.getByText(`of ${total.toLocaleString('en-GB')} attestations`).waitFor()
    // The chain of agents ends before.
    await open(page, `/address/${attester}?${filter}`)
    await page
      .getByText(/This cannot be answered|cannot be read/)
      .first()
      .waitFor()
    // The times of old blocks are not kept, and no endpoint of this site has them.
    await page.goto(`${stage.site.url}/attestations?asOf=${demoChainId}:1`)
    await page.getByText(/as of block 1 of Demo/).waitFor()
    await page.getByText(/its time is not kept/).waitFor()
    await field.fill('the day before')
    await field.press('Enter')
    await mistake.waitFor()
    await page.getByRole('link', { name: 'Show the present' }).click()
    await bar.waitFor({ state: 'detached' })
    expect(await mistake.count()).toBe(0)
    expect(await field.inputValue()).toBe('')
    expect(new URL(page.url()).search).toBe('')
  })
})

test('a record is read again as its chain grows, so that it is not valid as of the block that revoked it', async () => {
  const id = oddAttestationId('valid')
  // A clock is that of all pages of a width.
  await stage.withPage({ width: 1400 }, async (page) => {
    await page.clock.install()
    await open(page, `/attestation/${id}`)
    const status = page.getByRole('heading', { name: /^Status:/ })
    await status.getByText('Valid').waitFor()
    await page.route(`**/scan/attestations/${id}?*`, async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { readonly data: object }
      await route.fulfill({ response, json: { ...answer, data: { ...answer.data, revoked: true } } })
    })
    await page.clock.fastForward(20_000)
    await expect.poll(() => status.textContent()).toContain('Revoked')
  })
})

test('a page shows no record of the page before it while its own are awaited', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/address/${oddAttester}`)
    const main = page.getByRole('main')
    const first = await main.locator('td[data-label="Attestation"] a').first().textContent()
    await page.route('**/scan/addresses/**', () => undefined)
    // As a link inside the application does.
    await page.evaluate((address) => {
      history.pushState({}, '', `/address/${address}`)
      dispatchEvent(new PopStateEvent('popstate'))
    }, veraxIssuer)
    await main.locator(`[data-address="${veraxIssuer.toLowerCase()}"]`).first().waitFor()
    expect(await main.textContent()).not.toContain(first)
  })
})

test('what the operator calls an account and a schema is shown, with who says so, and found', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/attestations?chainId=59144')
    const main = page.getByRole('main')
    const account = main.getByRole('link', { name: 'Example Identity of Zug' }).first()
    expect(await account.getAttribute('title')).toMatch(
      new RegExp(`^Example Identity of Zug by identity\\.example\n${veraxIssuer}$`, 'i'),
    )
    await account.click()
    await main.getByText('by identity.example').waitFor()
    const link = main.getByRole('link', { name: 'Example Identity of Zug' })
    // The list before may still be shown, whose link leads to the address.
    await expect.poll(() => link.first().getAttribute('href')).toBe('https://identity.example')
    await page.keyboard.press('/')
    await page.keyboard.type('of zug')
    await page.getByRole('option', { name: 'Humans of Zug' }).click()
    await main.getByText("by the operator's labels").waitFor()
    await page.goto(`${stage.site.url}/search?q=identity%20of%20zug`)
    await main.getByRole('row').getByText('identity.example').waitFor()
  })
})

test('chains and portals lead to their pages', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/attestation/${veraxAttestationId(2)}`)
    const main = page.getByRole('main')
    await main.getByRole('link', { name: 'Human Portal' }).click()
    await page.getByRole('heading', { name: 'Human Portal' }).waitFor()
    await main.getByText('3 attestations', { exact: true }).waitFor()
    await main.getByRole('link', { name: 'Linea' }).first().click()
    await page.getByRole('heading', { name: 'Linea' }).waitFor()
    const newest = main.getByRole('row').filter({ hasText: 'Like of another protocol' })
    await newest.first().waitFor()
    expect(await newest.count()).toBe(1)
  })
})

nightTest('a list of all protocols shows and links each record as that of its protocol', async () => {
  await stage.withPage({}, async (page) => {
    const id = veraxAttestationId(3)
    await open(page, '/attestations?chainId=59144')
    const row = page.getByRole('row').filter({ has: page.locator(`[title="${id}"]`) })
    await row.getByText('Valid').waitFor()
    const hrefs = await row
      .getByRole('link')
      .evaluateAll((all) => all.map((link) => link.getAttribute('href')))
    expect(hrefs).toContain(`/attestation/${id}?protocol=verax`)
    expect(hrefs).toContain(`/schema/${sharedSchemaId}?protocol=verax`)
  })
})

test('the newest records, found records, schemas of an account and related records lead to those of their protocol', async () => {
  const [, , , sharedLocalId = ''] = sharedSchemaId.split('_')
  await stage.withPage({}, async (page) => {
    const linksOf = async (path: string, id: string) => {
      await open(page, path)
      const links = page.getByRole('main').locator(`a[title="${id}"]`)
      await links.first().waitFor()
      return await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '').sort())
    }
    const attestationId = veraxAttestationId(3)
    const attestation = `/attestation/${attestationId}?protocol=verax`
    const schemas = ['eas', 'verax'].map((protocol) => `/schema/${sharedSchemaId}?protocol=${protocol}`)
    expect(await linksOf('/', attestationId)).toEqual([attestation])
    expect(await linksOf('/', sharedSchemaId)).toContain(schemas[1])
    expect(await linksOf(`/search?q=${attestationId}`, attestationId)).toEqual([attestation])
    expect(await linksOf(`/search?q=${sharedLocalId}`, sharedSchemaId)).toEqual(schemas)
    expect(await linksOf('/schemas?chainId=59144', sharedSchemaId)).toEqual(schemas)
    expect(await linksOf(`/address/${veraxIssuer}?tab=schemas`, sharedSchemaId)).toEqual(schemas)
    // The page names no protocol: the record does, in the sentence and in the details.
    expect(await linksOf(`/attestation/${attestationId}`, sharedSchemaId)).toEqual([schemas[1], schemas[1]])
  })
})

nightTest('a suggestion of the search leads to the record of its protocol', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/schemas')
    await page.keyboard.press('/')
    await page.keyboard.type('Like of another')
    await page.getByRole('option', { name: 'Like of another protocol' }).click()
    await page.getByRole('heading', { name: 'Like of another protocol' }).waitFor()
    expect(page.url()).toBe(`${stage.site.url}/schema/${sharedSchemaId}?protocol=verax`)
  })
})

nightTest('a recipient that is a long text leaves room for the button that copies it', async () => {
  await stage.withPage({ width: 1280 }, async (page) => {
    await open(page, `/attestation/${veraxAttestationId(2)}`)
    const button = page.locator('dd').getByRole('button', { name: 'Copy recipient' })
    const isInside = await button.evaluate((element) => {
      const [inner, outer] = [element, element.closest('dd') ?? element].map((each) =>
        each.getBoundingClientRect(),
      )
      return inner !== undefined && outer !== undefined && inner.width > 0 && inner.right <= outer.right
    })
    expect(isInside).toBe(true)
  })
})

test('while an address is pointed at, it is marked wherever it stands, and one that looks alike as another', async () => {
  await stage.withPage({}, async (page) => {
    const pointing = Promise.withResolvers<undefined>()
    await page.route('**/scan/attestations?*linkedAttestation*', async (route) => {
      await pointing.promise
      await route.continue()
    })
    await open(page, `/attestation/${oddAttestationId('valid')}`)
    const at = (address: string) => page.locator(`main [data-address="${address.toLowerCase()}"]`)
    const marked = (address: string, mark: string) =>
      at(address).evaluateAll((all, name) => all.map((element) => element.hasAttribute(name)), mark)
    const before = await at(oddAttester).count()
    await at(oddAttester).first().hover()
    // Addresses that arrive while the pointer rests are marked too.
    pointing.resolve(undefined)
    await expect.poll(() => at(oddAttester).count()).toBeGreaterThan(before)
    expect(new Set(await marked(oddAttester, 'data-same'))).toEqual(new Set([true]))
    expect(new Set(await marked(lookAlike, 'data-alike'))).toEqual(new Set([true]))
    expect(new Set(await marked(lookAlike, 'data-same'))).toEqual(new Set([false]))
    await page.mouse.move(2, 2)
    expect(await page.locator('[data-same], [data-alike]').count()).toBe(0)
  })
})

test('a copy button copies the whole value that it names', async () => {
  await stage.withPage({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    await open(page, `/attestation/${oddAttestationId('valid')}`)
    await page.getByRole('button', { name: 'Copy composite id' }).click()
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toBe(oddAttestationId('valid'))
  })
})

test.each(
  firstCases<[OddAttestation, RegExp]>(1, [
    ['revoked', /Revoked when this page was printed: .* The reason given: “Document expired”/],
    ['valid', /attested under this schema to .* Valid when this page was printed; it never expires\./],
    ['expired', /Expired when this page was printed: it was valid until/],
  ]),
)(
  'on paper an attestation is a certificate, dark on light and with nothing shortened: %s',
  async (name, statement) => {
    await stage.withPage({ width: 794, colorScheme: 'dark' }, async (page) => {
      await open(page, `/attestation/${oddAttestationId(name)}`)
      const certificate = page.getByText('Certificate of attestation')
      expect(await certificate.isVisible()).toBe(false)
      const dark = page.getByRole('radio', { name: 'Dark' })
      // The page scrolls down to the choice, and its last cards load.
      await dark.scrollIntoViewIfNeeded()
      await settle(page)
      await dark.check({ force: true })
      await page.emulateMedia({ media: 'print' })
      expect(await certificate.isVisible()).toBe(true)
      const text = (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ')
      expect(text).toMatch(statement)
      expect(text).toContain(oddAttestationId(name))
      expect(text.toLowerCase()).toContain(oddAttester)
      expect(text).not.toMatch(/0x\w*…/)
      expect(await page.getByRole('button', { name: 'Print certificate' }).isVisible()).toBe(false)
      expect(await page.locator('header').first().isVisible()).toBe(false)
      const ink = await page
        .getByRole('heading', { name: 'Data', exact: true })
        .evaluate((heading) => getComputedStyle(heading).color)
      expect(ink).toBe('rgb(20, 22, 31)')
    })
  },
)

test('links of payloads lead nowhere unless they are of the web, and say where they lead', async () => {
  await stage.withPage({}, async (page) => {
    const watch = await watchPage(page, stage.site.url)
    await open(page, `/attestation/${oddAttestationId('links')}`)
    const payload = page.getByRole('table').first()
    const hrefs = await payload
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    expect(hrefs).toEqual(['https://example.org/report?id=1'])
    expect(await payload.getByRole('link').getAttribute('rel')).toContain('noreferrer')
    const text = await payload.innerText()
    expect(text).toContain('leads to example.org')
    expect(text.match(/which can run code/g)).toHaveLength(3)
    expect(watch.problems).toEqual([])
  })
})

test('a text of 20 kB is shown by its beginning, and whole when it is asked for', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/attestation/${oddAttestationId('longText')}`)
    const payload = page.getByRole('table').first()
    expect((await payload.innerText()).length).toBeLessThan(2_000)
    await payload.getByRole('button', { name: /^Show all/ }).click()
    expect((await payload.innerText()).length).toBeGreaterThan(20_000)
  })
})

nightTest('a name that would leave its line stays in it', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${oddSchemaId('zalgo')}`)
    const marks = await page.evaluate(
      () => (document.querySelector('h1')?.textContent ?? '').match(/\p{M}/gu)?.length ?? 0,
    )
    expect(marks).toBeLessThanOrEqual(4)
  })
})

test('every page has its own title, in the tab and in previews of links', async () => {
  const pages = ['/', '/schemas', '/attestations', '/search?q=KYC', `/address/${oddAttester}`].concat(
    `/schema/${oddSchemaId('plain')}`,
    `/attestation/${oddAttestationId('valid')}`,
  )
  const titles = await Promise.all(
    pages.map(async (path) => {
      const html = await (await fetch(stage.site.url + path, { headers: { accept: 'text/html' } })).text()
      const title = /<meta property="og:title" content="([^"]+)"/.exec(html)?.[1]
      expect(html).toContain('<meta name="description"')
      return title
    }),
  )
  expect(new Set(titles).size).toBe(pages.length)
  expect(titles).not.toContain(undefined)
})
