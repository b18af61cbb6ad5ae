import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { documentedEnvelope, documentedLink } from '../../src/protocols/offchain/testing/publishedSamples.ts'
import { makeSignBodies } from '../../src/protocols/offchain/testing/signBodies.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'

const stage = useStage()

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

/** The names of the checks, with whether each passed, as someone who cannot see hears them. */
async function checksOf(page: Page): Promise<readonly string[]> {
  await page.getByRole('heading', { name: 'Checks' }).waitFor()
  const items = page.locator('section', { hasText: 'Checks' }).locator('li > span:first-of-type')
  return await items.allTextContents()
}

const notIndexed = [
  ...['format: passed', 'uid: passed', 'domain: passed', 'signature: passed'],
  ...['schema: not passed', 'payload: not passed', 'expiry: passed', 'revocation: not passed'],
]

test('a link that easscan shares opens with its verdict, and its attestation goes to no other server', async () => {
  await stage.withPage({}, async (page) => {
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await open(page, new URL(documentedLink).pathname + new URL(documentedLink).hash)
    await page.getByRole('heading', { name: 'This attestation cannot be confirmed here' }).waitFor()
    expect(await checksOf(page)).toEqual(notIndexed)
    await page.getByText('0xeee68aECeB4A9e9f328a46c39F50d83fA0239cDF').first().waitFor()
    expect(asked.filter((url) => !url.startsWith(stage.site.url))).toEqual([])
  })
})

test('a pasted text is verified, and a changed one told apart', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    await open(page, '/verify')
    const text = page.getByRole('textbox', { name: /attestation of EAS/ })
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('Paste an attestation or a link, or choose a file.').waitFor()
    await text.fill('hello')
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('This is neither a JSON object nor a link').waitFor()
    await text.fill(documentedEnvelope.replace('"time":1694227180', '"time":1694227181'))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('heading', { name: 'This attestation does not hold' }).waitFor()
    expect(await checksOf(page)).toEqual(
      notIndexed.map((check) => check.replace(/^(uid|signature): passed/, '$1: not passed')),
    )
  })
})

test('a file holds, and text in it that would deceive is shown as text', async () => {
  const { attestation } = await makeSignBodies()
  const hostile = attestation.replaceAll('Ada', '<img src=x onerror=alert(1)>\u202eadA')
  await stage.withPage({}, async (page) => {
    const dialogs: string[] = []
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message())
      void dialog.dismiss()
    })
    await open(page, '/verify')
    const file = (name: string, content: string) => ({
      name,
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    })
    await page.getByLabel('or a file').setInputFiles(file('attestation.json', attestation))
    await page.getByRole('heading', { name: 'This attestation holds' }).waitFor()
    await page.getByLabel('or a file').setInputFiles(file('hostile.json', hostile))
    await page.getByRole('heading', { name: 'This attestation does not hold' }).waitFor()
    const payload = page.getByRole('table', { name: 'The values of the attestation' })
    await payload.getByText('<img src=x onerror=alert(1)>').waitFor()
    expect(await payload.locator('img').count()).toBe(0)
    expect(dialogs).toEqual([])
  })
})
