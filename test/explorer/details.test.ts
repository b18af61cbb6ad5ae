import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { findCutTexts } from './browser/findCutTexts.ts'
import {
  findAttestationPath,
  findPicturePaths,
  outlineOf,
  pictures,
  pictureViewport,
  type MadePictures,
} from './browser/pictures.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { easAttestationId, easSchemaId } from './fixture/easBlocks.ts'
import { easExplorerUrl } from './fixture/fillExplorerIndex.ts'
import { oddAttestationId, oddSchemaId } from './fixture/oddBlocks.ts'
import { firstCases, nightTest } from '../harness/nightly.ts'

const stage = useStage()

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

const hrefsOf = (links: Locator) =>
  links.evaluateAll((found) => found.map((link) => link.getAttribute('href')))

test('the definition of a schema is shown as a table and as it stands on chain', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${easSchemaId}`)
    const rows = page.getByRole('table', { name: 'Fields of the schema' }).locator('tbody tr')
    expect(await rows.allTextContents()).toEqual(['1scoreuint8', '2commentstring', '3reviewersaddress[]'])
    await page.getByRole('radio', { name: 'Raw' }).click()
    await page.getByText('uint8 score, string comment, address[] reviewers', { exact: true }).waitFor()
  })
})

test('attestations under a schema have a column for each field, and the ready-made requests answer', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${easSchemaId}`)
    const table = page.getByRole('table', { name: /under the schema/ })
    expect(await table.getByRole('columnheader').allTextContents()).toEqual([
      'Attestation',
      'Status',
      'score',
      'comment',
      'reviewers',
      'Attester and recipient',
      'Attested',
    ])
    await table.locator('td[data-label="comment"]').filter({ hasText: 'Looks right.' }).first().waitFor()
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Use it from code' }) })
    const requests: ReturnType<typeof requestOf>[] = []
    for (const language of ['curl', 'GraphQL']) {
      await card.getByRole('radio', { name: language }).check()
      requests.push(requestOf((await card.locator('pre').textContent()) ?? ''))
    }
    for (const { url, body } of requests) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: body ?? null }
      const response = await fetch(url, body === undefined ? {} : init)
      expect(response.status).toBe(200)
      expect(await response.text()).toMatch(/Code Review|Looks right\./)
    }
  })
})

test('parts far down a page are asked for when the reader comes near them', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await open(page, '/')
    const isAsked = () => asked.includes('/scan/trending-schemas')
    expect(isAsked()).toBe(false)
    await page.getByRole('heading', { name: 'Top and trending schemas' }).scrollIntoViewIfNeeded()
    await page.getByRole('heading', { name: 'Trending this week' }).waitFor()
    expect(isAsked()).toBe(true)
  })
})

/** The URL that one of the shown commands requests. */
function requestOf(command: string): { readonly url: string; readonly body: string | undefined } {
  const [, url = ''] = /^curl '([^']+)'/.exec(command) ?? []
  const [, body] = /\s-d '([^']+)'$/.exec(command) ?? []
  return { url, body }
}

test('chain, block, transaction and addresses lead to the block explorer of the chain, where one is known', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/attestation/${easAttestationId(0)}`)
    const outside = page.locator(`main a[href^="${easExplorerUrl}"]`)
    // The answer about chains comes beside that about the record.
    await expect
      .poll(() => hrefsOf(outside))
      .toEqual([
        easExplorerUrl,
        expect.stringMatching(/^https:\/\/explorer\.example\/block\/\d+$/),
        expect.stringMatching(/^https:\/\/explorer\.example\/tx\/0x[0-9a-f]{64}$/),
      ])
    await open(page, `/attestation/${oddAttestationId('valid')}`)
    await page.locator('main').getByRole('link', { name: 'Sepolia', exact: true }).first().waitFor()
    expect(await outside.count()).toBe(0)
  })
})

test('the transactions of changes of an agent lead to the block explorer: they have no page here', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/agent/5:1?tab=history')
    const links = page.getByRole('list', { name: 'Changes, newest first' }).locator('a[href*="/tx/"]')
    const outside = expect.stringMatching(/^https:\/\/sepolia\.etherscan\.io\/tx\/0x[0-9a-f]{64}$/)
    await expect.poll(() => hrefsOf(links)).toEqual([outside, outside])
  })
})

test('an attestation shows its raw record as the interface answers it, and why there is no proof', async () => {
  await stage.withPage({}, async (page) => {
    const id = oddAttestationId('revoked')
    await open(page, `/attestation/${id}`)
    await page.getByText('Raw record').click()
    const shown = JSON.parse(
      (await page.getByRole('region', { name: 'Raw record as JSON' }).textContent()) ?? '',
    ) as unknown
    const path = await page.getByRole('link', { name: /^GET / }).getAttribute('href')
    const answered = await fetch(stage.site.url + (path ?? ''))
    expect(shown).toEqual(((await answered.json()) as { data: unknown }).data)
    await page.getByRole('button', { name: 'Download proof' }).click()
    await page.getByText('This server is connected to no chain, so that it cannot make proofs.').waitFor()
  })
})

test('a payload that cannot be decoded says why and shows its bytes, and JSON is laid out', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/attestation/${oddAttestationId('undecodable')}`)
    const payload = page
      .locator('section', { has: page.getByRole('heading', { name: 'Data', exact: true }) })
      .last()
    expect(await payload.innerText()).toMatch(
      /It could not be decoded: .+ These are its bytes\.\s+0xdeadbeef/,
    )
    await open(page, `/attestation/${oddAttestationId('nested')}`)
    expect(await page.locator('main pre').first().innerText()).toContain('"kind": "json",\n')
  })
})

test('content behind a pointer is shown as text with its state', async () => {
  await stage.withPage({}, async (page) => {
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('dialog', (dialog) => errors.push(dialog.message()))
    const path = `/attestation/${oddAttestationId('nested')}`
    const json = {
      html: '</pre><script>alert(1)</script><img src=x onerror=alert(2)>',
      hidden: 'safe\u202Etxt.exe',
      link: 'javascript:alert(3)',
      deep: Array.from({ length: 8 }).reduce<unknown>((inner) => [inner], '__proto__'),
    }
    const content = { state: 'verified', sentence: '', pointer: 'ipfs://"><script>alert(4)</script>', json }
    await page.route('**/scan/attestations/onchain*', async (route) => {
      const response = await route.fetch()
      const answer = (await response.json()) as { readonly data: object }
      await route.fulfill({ response, json: { ...answer, data: { ...answer.data, content } } })
    })
    await open(page, path)
    const card = page.locator('section', { hasText: 'Content behind the pointer' }).last()
    expect(await card.innerText()).toContain('Verified: its bytes are those that the record names.')
    expect(await card.innerText()).toContain('</pre><script>alert(1)</script>')
    expect(await card.innerText()).toContain('U+202E')
    expect(await card.locator('script, img, a').count()).toBe(0)
    content.state = 'mismatch'
    content.sentence = 'gateway.example has other bytes than the identifier names.'
    Object.assign(content, { json: null })
    await open(page, path)
    expect(await card.innerText()).toMatch(
      /Another content than the record names\. gateway\.example has other/,
    )
    expect(errors).toEqual([])
  })
})

nightTest('pointing at the chart shows the figures of a day, and another range has other days', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, `/schema/${oddSchemaId('plain')}`)
    const chart = page.getByRole('figure', { name: 'Attestations per day' })
    await chart.getByText('Last 90 days').waitFor()
    await chart.getByRole('slider').hover()
    await chart.getByText(/^\d+ \w+ \d{4}$/).waitFor()
    expect(await chart.getByText('Last 90 days').count()).toBe(0)
    await page.mouse.move(5, 5)
    await page.getByRole('radio', { name: '1 y' }).click()
    await chart.getByText('Last 365 days').waitFor()
  })
})

nightTest('the schemas of the home page are ranked by use, each with the shape of its month', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/')
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Top schemas' }) })
    const month = card.getByRole('img', { name: /^\d+ attestations? in the last 30 days$/ })
    await month.nth(9).waitFor()
    const counts = await card.getByTitle('Attestations ever made').allTextContents()
    expect(counts.map(Number)).toEqual(counts.map(Number).toSorted((a, b) => b - a))
  })
})

test.each(firstCases(1, pictures))(
  'the picture of README shows the page as it is: $name',
  async ({ name, colorScheme }) => {
    const file = readFileSync(new URL('../../docs/images/made.json', import.meta.url), 'utf8')
    const { outlines } = JSON.parse(file) as MadePictures
    const paths = await findPicturePaths(stage.site.url)
    await stage.withPage({ colorScheme, viewport: pictureViewport }, async (page) => {
      await page.goto(stage.site.url + paths[name])
      await settle(page)
      // Otherwise `npm run screenshots` takes them anew.
      expect(await outlineOf(page)).toEqual(outlines[name])
    })
  },
)

test.each(['onchain_evm_31337_0x3'])(
  'the names of the fields of %s stand whole beside free room',
  async (schema) => {
    const path = await findAttestationPath(stage.site.url, schema)
    await stage.withPage({}, async (page) => {
      await open(page, path)
      await page.getByRole('rowheader', { name: 'consignment' }).waitFor()
      for (const width of [1440, 1024, 390]) {
        await page.setViewportSize({ width, height: 900 })
        expect([width, await findCutTexts(page)]).toEqual([width, []])
      }
    })
  },
)
