import { deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { buildProof } from '@attestry/trust/proofs/buildProof.ts'
import { encodeBlock } from '@attestry/trust/proofs/encodeBlock.ts'
import { makeBlock, signLog } from '@attestry/trust/proofs/testing/madeBlock.ts'
import { sampleStateProver } from '@attestry/trust/stateProofs/testing/sampleStateProver.ts'
import { findPrivateProof } from '@attestry/trust/statements/testing/privateProofs.ts'
import { documentedEnvelope, documentedLink } from '@attestry/trust/statements/testing/publishedSamples.ts'
import { makeSignBodies } from '@attestry/trust/statements/testing/signBodies.ts'
import { easAttestationId } from './fixture/easBlocks.ts'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { firstCases, nightTest } from '../harness/nightly.ts'

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
  ...['schema: not known here', 'payload: not known here', 'expiry: passed', 'revocation: not known here'],
]

test('a link that easscan shares opens with its verdict, and its attestation goes to no other server', async () => {
  await stage.withPage({}, async (page) => {
    const asked: string[] = []
    const questions: (string | null)[] = []
    page.on('request', (request) => {
      asked.push(request.url())
      if (request.method() === 'POST') questions.push(request.postData())
    })
    await open(page, new URL(documentedLink).pathname + new URL(documentedLink).hash)
    await page.getByRole('heading', { name: 'This attestation cannot be confirmed here' }).waitFor()
    expect(await checksOf(page)).toEqual(notIndexed)
    await page.getByText('0xeee68aECeB4A9e9f328a46c39F50d83fA0239cDF').first().waitFor()
    expect(asked.filter((url) => !url.startsWith(stage.site.url))).toEqual([])
    // The browser has unpacked the link: the question is the envelope.
    expect(questions).toHaveLength(1)
    expect(JSON.parse(questions[0] ?? '')).toMatchObject({ sig: { version: 1 }, signer: expect.any(String) })
  })
})

test.each(
  firstCases(1, [
    ['A signed attestation', 'This attestation cannot be confirmed here', /^\{"sig"/],
    ['The same, tampered with', 'This attestation does not hold', /"time":1694227181/],
    ['A link that holds one', 'This attestation cannot be confirmed here', /^https:.*#attestation=/],
  ]),
)('the example “%s” is put into the form and verified by a click', async (name, verdict, text) => {
  await stage.withPage({ width: 390 }, async (page) => {
    await open(page, '/verify')
    await page.getByRole('group', { name: 'Examples' }).getByRole('button', { name }).click()
    await page.getByRole('heading', { name: verdict }).waitFor()
    expect(await page.getByRole('textbox', { name: /attestation of EAS/ }).inputValue()).toMatch(text)
  })
})

test('a uid or a link of easscan opens the attestation, or says that it is not indexed here', async () => {
  const id = easAttestationId(1)
  const uid = id.split('_').at(-1) ?? ''
  await stage.withPage({ width: 390 }, async (page) => {
    for (const text of [uid, `https://base.easscan.org/attestation/view/${uid}`]) {
      await open(page, '/verify')
      await page.getByRole('textbox', { name: /attestation of EAS/ }).fill(text)
      await page.getByRole('textbox', { name: /attestation of EAS/ }).press('Enter')
      // The address names the protocol until the chains are known.
      await page.waitForURL((url) => url.pathname === `/attestation/${id}`)
    }
    await open(page, '/verify')
    await page
      .getByRole('textbox', { name: /attestation of EAS/ })
      .fill(`https://easscan.org/offchain/attestation/view/0x${'9b'.repeat(32)}`)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('This attestation is not indexed here').waitFor()
    expect(new URL(page.url()).pathname).toBe('/verify')
  })
})

nightTest('an answer of the store that is not JSON is reported by its status', async () => {
  await stage.withPage({}, async (page) => {
    await page.route('**/offchain/store', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 413,
            contentType: 'text/html',
            body: '<h1>413 Request Entity Too Large</h1>',
          })
        : route.fulfill({ json: { success: true, data: { stores: true, needsKey: false } } }),
    )
    await open(page, '/verify')
    await page.getByRole('textbox', { name: /attestation of EAS/ }).fill(documentedEnvelope)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('button', { name: 'Store' }).click()
    await expect
      .poll(() => page.locator('form [role="status"]').filter({ hasText: /\S/ }).allTextContents())
      .toEqual(['The server answered 413.'])
    // Nor is the answer about one attestation said of another that was verified before.
    const examples = page.getByRole('group', { name: 'Examples' })
    for (const name of ['The same, tampered with', 'A signed attestation']) {
      await examples.getByRole('button', { name }).click()
      await page.getByRole('button', { name: 'Store' }).waitFor()
    }
    await page.getByRole('heading', { name: 'This attestation cannot be confirmed here' }).waitFor()
    await page.getByRole('button', { name: 'Store' }).click()
    await page.getByText('The server answered 413.').waitFor()
    await examples.getByRole('button', { name: 'The same, tampered with' }).click()
    await page.getByRole('heading', { name: 'This attestation does not hold' }).waitFor()
    expect(await page.getByText('The server answered 413.').count()).toBe(0)
  })
})

test('a text that is no attestation is judged in the browser, and goes nowhere', async () => {
  const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024, 0x20)).toString('base64')
  const hostile: readonly (readonly [text: string, reason: RegExp])[] = [
    ['hello', /neither JSON nor a link/],
    [`https://x/#attestation=${encodeURIComponent(bomb)}`, /unpacks to more than 1048576 bytes/],
    ['https://x/#attestation=%%%', /no base64/],
    ['https://x/#attestation=eNpd', /cut off or damaged/],
    [`{"sig":${'['.repeat(100_000)}`, /neither JSON nor a link/],
    ['{"sig":{"__proto__":{"message":1}},"signer":7}', /sig.message is missing/],
  ]
  await stage.withPage({}, async (page) => {
    await open(page, '/verify')
    const questions: string[] = []
    page.on('request', (request) => request.method() === 'POST' && questions.push(request.url()))
    for (const [text, reason] of hostile) {
      await page.getByRole('textbox', { name: /attestation of EAS/ }).fill(text)
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.getByRole('heading', { name: 'This is no attestation that can be read' }).waitFor()
      await page.locator('section').getByText(reason).first().waitFor()
    }
    expect(questions).toEqual([])
  })
})

test('the checks that need no index are shown where the service does not answer', async () => {
  await stage.withPage({ width: 390 }, async (page) => {
    await page.route('**/scan/offchain/verify', (route) => route.abort('connectionrefused'))
    await open(page, '/verify')
    await page.getByRole('textbox', { name: /attestation of EAS/ }).fill(documentedEnvelope)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('alert').waitFor()
    expect(await checksOf(page)).toEqual(notIndexed.filter((check) => check.endsWith(': passed')))
  })
})

test('a proof that was downloaded is checked, and one that was changed does not hold', async () => {
  await stage.withPage({}, async (page) => {
    const contract = `0x${'11'.repeat(20)}` as Address
    const logs = [signLog('AttestationMade', contract, 26n, 'key')]
    const made = await makeBlock(77, [{ type: 2, logs }], 6)
    const encoded = await encodeBlock(made.block, made.receipts)
    if (encoded.kind === 'unprovable') throw new Error(encoded.reason)
    const data = await buildProof(encoded, {
      event: 'attestation',
      key: { chainId: demoChainId, localId: localIdOfCounter(26n) },
      protocol: 'sign',
      position: eventPosition(77, 0),
      contracts: [contract],
    })
    const answer = { success: true, statusCode: 200, data, message: 'ok' }
    await page.route('**/proof', (route) => route.fulfill({ json: answer }))
    await open(page, `/attestation/onchain_evm_${demoChainId}_0x64`)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download proof' }).click()
    const file = await (await saved).createReadStream()
    const content = Buffer.concat((await file.toArray()) as Buffer[])
    const choose = async (buffer: Buffer) =>
      await page
        .locator('input[type="file"]')
        .setInputFiles({ name: 'x.proof.json', mimeType: 'application/json', buffer })

    await open(page, '/verify')
    await choose(content)
    await page
      .getByRole('heading', { name: 'This proof holds only if you trust its block and its contract' })
      .waitFor()
    await expect
      .poll(() => checksOf(page))
      .toEqual(['receipt: passed', 'event: passed', 'contract: not known here', 'block: not known here'])
    await choose(Buffer.from(content.toString().replace('_0x1a"', '_0x1b"')))
    await page.getByRole('heading', { name: 'This proof does not hold' }).waitFor()
    await choose(Buffer.from('eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIweCJ9.c2ln'))
    await page.getByText('The token is signed, but it is no verdict.').waitFor()

    const blocks = {
      findNewest: () => Promise.resolve(null),
      stateOf: () => Promise.resolve('unknown' as const),
    }
    const wanted = { chainId: demoChainId, protocol: 'eas', claims: [], key: 'attestation' }
    const state = JSON.stringify((await sampleStateProver.prove(wanted, blocks)).proof)
    await choose(Buffer.from(state))
    await page
      .getByText(/exists, is not revoked and does not expire/)
      .first()
      .waitFor()
    await expect
      .poll(() => checksOf(page))
      .toEqual(['state: passed', 'layout: passed', 'contract: not known here', 'block: not known here'])
    await choose(Buffer.from(state.replace('"revoked":false', '"revoked":true')))
    await page.getByText(/says is not what the state gives/).waitFor()
  })
})

test('a dropped proof of private data asks for its attestation, and shows what it reveals', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/verify')
    const text = page.getByRole('textbox', { name: /attestation of EAS/ })
    const dropped = await page.evaluateHandle(
      (content) => {
        const transfer = new DataTransfer()
        transfer.setData('text/plain', content)
        return transfer
      },
      JSON.stringify(findPrivateProof([0, 1])),
    )
    await text.dispatchEvent('drop', { dataTransfer: dropped })
    await page.getByRole('textbox', { name: /holds their root/ }).waitFor()
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('Name the attestation that holds the root').waitFor()
    await page.getByRole('textbox', { name: /holds their root/ }).fill(easAttestationId(1))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('heading', { name: 'These values are not shown to be private data' }).waitFor()
    expect(await checksOf(page)).toEqual([
      'format: passed',
      'root: not passed',
      'proof: not passed',
      'expiry: passed',
      'revocation: passed',
    ])
    const values = page.getByRole('table', { name: 'The values of the proof' })
    await values.getByText('18,151,210').or(values.getByText('18151210')).first().waitFor()
  })
})

nightTest('Enter verifies the pasted text, Shift+Enter begins a new line', async () => {
  await stage.withPage({}, async (page) => {
    await open(page, '/verify')
    const field = page.getByRole('textbox', { name: /attestation of EAS/ })
    await field.fill('hello')
    await field.press('Shift+Enter')
    expect(await field.inputValue()).toBe('hello\n')
    expect(await page.getByRole('heading', { name: /^This (is no )?attestation/ }).count()).toBe(0)
    await field.press('Enter')
    await page.getByRole('heading', { name: 'This is no attestation that can be read' }).waitFor()
    expect(await field.inputValue()).toBe('hello\n')
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
    await page.getByText('The input is neither JSON nor a link').first().waitFor()
    await text.fill(documentedEnvelope.replace('"time":1694227180', '"time":1694227181'))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('heading', { name: 'This attestation does not hold' }).waitFor()
    expect(await checksOf(page)).toEqual(
      notIndexed.map((check) => check.replace(/^(uid|signature): passed/, '$1: not passed')),
    )
    // A verdict on another text than that of the form is not shown.
    await text.fill(documentedEnvelope)
    await page.getByRole('heading', { name: 'This attestation does not hold' }).waitFor({ state: 'detached' })
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
