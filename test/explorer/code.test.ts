import { expect, test } from 'vitest'
import { firstCases } from '../harness/nightly.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { oddAttestationId, oddAttester, oddSchemaId } from './fixture/oddBlocks.ts'

const stage = useStage()

const schemaId = oddSchemaId('plain')

test.each(
  firstCases(3, [
    ['/', '/scan/attestations?include=decoded'],
    [`/schema/${schemaId}`, `/scan/attestations?schemaId=${schemaId}&include=decoded`],
    ['/search?q=record', '/scan/search?keyword=record'],
    ['/attestations?revoked=true&page=2', '/scan/attestations?revoked=true&include=decoded'],
    ['/schemas?revocable=false', '/scan/schemas?revocable=false'],
    [
      `/attestation/${oddAttestationId('valid')}`,
      `/scan/attestations/${oddAttestationId('valid')}?include=decoded`,
    ],
    [`/address/${oddAttester}?tab=schemas`, `/scan/schemas?registrant=${oddAttester}`],
  ]),
)('%s shows code that asks for its records', async (path, question) => {
  const { url } = stage.site
  await stage.withPage({ width: 390 }, async (page) => {
    await page.goto(url + path)
    await settle(page)
    const card = page.locator('section', { has: page.getByRole('heading', { name: 'Use it from code' }) })
    // The gate comes first for apps that decide by the attestations of a schema.
    const isDecided = /^\/(schema|attestation)\//.test(path)
    const first = isDecided ? `curl '${url}/scan/gate' ` : `curl '${url}${question}'`
    expect((await card.locator('pre').textContent())?.startsWith(first)).toBe(true)
    await card.getByRole('radio', { name: 'curl' }).check()
    expect(await card.locator('pre').textContent()).toBe(`curl '${url}${question}'`)
    await card.getByRole('radio', { name: 'TypeScript' }).check()
    const [clientPath = ''] = question.split('?')
    expect(await card.locator('pre').textContent()).toMatch(
      new RegExp(`baseUrl: "${url}".*attestry\\.(list|get)\\('${clientPath.split('/onchain')[0]}`, 's'),
    )
    await card.getByRole('radio', { name: 'React' }).check()
    expect(await card.locator('pre').textContent()).toContain('useReading(')
    expect(await card.getByRole('radio', { name: 'GraphQL' }).count()).toBe(
      path.startsWith('/search') ? 0 : 1,
    )
  })
})

test('the code follows a filter as it is chosen', async () => {
  await stage.withPage({}, async (page) => {
    await page.goto(`${stage.site.url}/schema/${schemaId}?field[nothing]=x`)
    await settle(page)
    await page.getByRole('radio', { name: 'curl' }).check()
    const code = page.getByRole('region', { name: 'By REST, with curl' })
    expect(await code.textContent()).toContain('field%5Bnothing%5D=x')
    await page.goto(`${stage.site.url}/attestations`)
    await page.getByLabel('Status').selectOption('revoked')
    await code.getByText('revoked=true').waitFor()
  })
})
