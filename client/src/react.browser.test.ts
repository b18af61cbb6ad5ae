import { fileURLToPath } from 'node:url'
import { chromium, type Browser, type Page } from 'playwright-core'
import { build, type Rolldown } from 'vite'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import {
  sampleAttestation,
  sampleHash,
  sampleSchema,
} from '@attestry/server/pipeline/testing/sampleRecords.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type {} from '@attestry/test/explorer/browserSetup.ts'
import { serveAnswers, serveIndex, type ServedIndex } from './testing/serveIndex.ts'

let index: ServedIndex
let site: Awaited<ReturnType<typeof serveAnswers>>
let browser: Browser
let page: Page

beforeAll(async () => {
  const script = await bundle(fileURLToPath(new URL('testing/hooksPage.ts', import.meta.url)))
  index = await serveIndex()
  await index.apply(...[1, 2].map(registration))
  site = await serveAnswers((request, response) => {
    const isScript = request.url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(
      isScript ? script : '<!doctype html><body><script type="module" src="/page.js"></script></body>',
    )
  })
  browser = await chromium.connect(inject('browserEndpoint'))
  page = await browser.newPage()
  await page.goto(`${site.baseUrl}/?index=${encodeURIComponent(index.baseUrl)}`)
})

afterAll(async () => {
  await browser.close()
  await site.close()
  await index.close()
})

test('a component shows what a path answers, and asks again when its parameters change', async () => {
  const title = page.locator('h1')
  await expect.poll(() => title.textContent()).toBe('Schema 1')
  await page.getByText('next').click()
  await expect.poll(() => title.textContent()).toBe('Schema 2')
  expect(await title.getAttribute('title')).toBe('behind: 11155111')
  await page.getByText('elsewhere').click()
  await expect.poll(() => title.getAttribute('title')).toBe('behind: 77')
  expect(await title.textContent()).toContain('Chain 77 is not indexed here.')
  await page.getByText('wrong').click()
  await expect.poll(() => title.textContent()).toContain('composite id')
  expect(await title.getAttribute('title')).toBe('behind: none')
})

test('a component that follows the index shows what is made and revoked meanwhile', async () => {
  const output = page.locator('output')
  await expect.poll(() => output.textContent()).toBe('0 made, 0 revoked')
  const attestation = sampleAttestation(1)
  await index.apply({ kind: 'attestationMade', position: attestation.position, attestation })
  await expect.poll(() => output.textContent()).toBe('1 made, 0 revoked')
  await index.apply({
    kind: 'attestationRevoked',
    position: eventPosition(4_000, 0),
    protocol: 'sign',
    localId: attestation.key.localId,
    reason: '',
    timestamp: unixSeconds(1_700_200_000),
    transactionHash: sampleHash(77),
  })
  await expect.poll(() => output.textContent()).toBe('1 made, 1 revoked')
})

function registration(number: number) {
  const schema = sampleSchema(number)
  return { kind: 'schemaRegistered' as const, position: schema.position, schema }
}

async function bundle(entry: string): Promise<string> {
  const built = (await build({
    configFile: false,
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
    build: { write: false, lib: { entry, formats: ['es'] }, minify: false },
  })) as Rolldown.RolldownOutput[]
  const chunk = built[0]?.output[0]
  if (chunk === undefined) throw new Error('vite built nothing')
  return chunk.code
}
