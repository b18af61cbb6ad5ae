import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { useStage } from './browser/useStage.ts'

/** The script for other pages, on a page of another origin that allows nothing but this script and its requests. */
const stage = useStage()
let other: Server
let origin: string

const holder = '0xd5DCA145674E537Dc050234a3B9b40763Ea2F483'
const nobody = `0x${'12'.repeat(20)}`
const issuer = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const schema = `onchain_evm_${demoChainId}_0x1`

beforeAll(async () => {
  const page = `<!doctype html><title>Another site</title>
<script type="module" src="${stage.site.url}/verified.js"></script>
<attestry-verified id="allow" policy="kyc-level-2" address="${holder}"></attestry-verified>
<attestry-verified id="deny" policy="kyc-level-2" address="${nobody}"></attestry-verified>
<attestry-verified id="other" schema="${schema}" attester="${issuer}" address="${nobody}"></attestry-verified>
<attestry-verified id="unknown" schema="onchain_evm_7_0x1" attester="${issuer}" address="${nobody}"></attestry-verified>
<attestry-verified id="anyone" schema="${schema}" attester="any" address="${holder}"></attestry-verified>
<attestry-verified id="unset" policy="kyc-level-2"></attestry-verified>
<attestry-verified id="absent" policy="nope" address="${holder}"></attestry-verified>
<iframe id="chart" src="${stage.site.url}/embed?figure=attestations&amp;schemaId=${schema}"></iframe>`
  const policy = `frame-src ${stage.site.url}; default-src 'none'; script-src ${stage.site.url}; connect-src ${stage.site.url}; require-trusted-types-for 'script'`
  other = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(page)
  })
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  origin = `http://localhost:${(other.address() as AddressInfo).port}`
})
afterAll(() => {
  other.close()
})

test('a page of another origin shows the verdict with its link, what is not known, and its own mistakes', async () => {
  await stage.withPage({}, async (page) => {
    const blocked: string[] = []
    page.on('console', (message) => {
      if (/Content Security Policy|CORS/.test(message.text())) blocked.push(message.text())
    })
    // The index is as old as the run of the tests, and a policy of attributes takes ten minutes.
    await page.route('**/scan/gate', async (route) => {
      const body = route.request().postDataJSON() as { policy: string | object } | null
      const isOwn = typeof body?.policy === 'object'
      const asked = isOwn ? { ...body, policy: { ...(body.policy as object), maxStaleness: '1000w' } } : body
      await route.continue(asked === null ? {} : { postData: JSON.stringify(asked) })
    })
    await page.goto(origin)
    const shown = (id: string) => page.locator(`#${id} [part=verdict][title]:not([title=""])`)
    const read = async (id: string) => {
      const verdict = shown(id)
      return [
        await verdict.textContent(),
        await verdict.getAttribute('href'),
        await verdict.getAttribute('title'),
      ]
    }
    const { url } = stage.site
    const [text, href] = await read('allow')
    expect(text).toBe('Passes kyc-level-2')
    expect(href).toMatch(new RegExp(`^${url}/attestation/onchain_evm_${demoChainId}_0x`))
    expect((await read('deny')).slice(0, 2)).toEqual([
      'Does not pass kyc-level-2',
      `${url}/gate?policy=kyc-level-2&address=${nobody}`,
    ])
    const [other, question] = await read('other')
    expect(other).toBe('Not verified by KYC Level 2')
    expect(question).toContain(`${url}/gate?rule=`)
    const [unknown, , reasons] = await read('unknown')
    expect(unknown).toBe('Not known at the moment: verified by onchain_evm_7_0x1')
    expect(reasons).toMatch(/not indexed|no chain/)
    expect(await read('anyone')).toEqual([
      'Could not be checked',
      null,
      'attester must have the addresses that you trust: anybody may attest under a schema.',
    ])
    expect((await read('unset'))[2]).toBe('address must be 0x and 40 hexadecimal digits.')
    expect((await read('absent'))[2]).toContain("'nope'")

    // Another address is another question; its answer reaches the page as an event.
    const detail = await page.evaluate(async (address) => {
      const element = document.getElementById('deny')
      const heard = new Promise<Event>((resolve) => {
        element?.addEventListener('attestry-verdict', resolve, { once: true })
      })
      element?.setAttribute('address', address)
      return ((await heard) as CustomEvent<{ address: string; verdict: string }>).detail
    }, holder)
    expect(detail).toMatchObject({ address: holder, verdict: 'allow' })
    expect((await read('deny'))[0]).toBe('Passes kyc-level-2')
    expect(blocked).toEqual([])
    expect(await page.context().cookies()).toEqual([])
  })
})

test('a page of another origin shows a chart in a frame', async () => {
  await stage.withPage({}, async (page) => {
    await page.goto(origin)
    const chart = page.frameLocator('#chart')
    await chart.getByRole('figure', { name: 'Attestations by month' }).waitFor()
    expect(await chart.getByRole('heading').allTextContents()).toEqual(['Attestations KYC Level 2'])
  })
})
