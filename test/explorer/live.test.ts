import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Browser, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import type { ChainStatus } from '@attestry/core/model/chainState.ts'
import { currentTimeMs, unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { settle } from './browser/settle.ts'
import { startSite, type Site } from './browser/startSite.ts'
import { easAttestationBlock, easAttestationId, easChainId } from './fixture/easBlocks.ts'
import { easAttestations, fillExplorerIndex } from './fixture/fillExplorerIndex.ts'
import { projections } from '../harness/projections.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-live-'))
const limitMs = 60_000
let browser: Browser
let site: Site
let writer: IndexWriter
let page: Page

beforeAll(async () => {
  const path = join(folder, 'index.db')
  await fillExplorerIndex(path, { attestations: 20, odd: true })
  site = await startSite(path, inject('explorerBuild'))
  writer = openSqliteWriter(path, { projections })
  browser = await chromium.connect(inject('browserEndpoint'))
  page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB', timezoneId: 'UTC' })
  await page.goto(site.url)
  await settle(page)
  await page.getByText('Live', { exact: true }).waitFor({ timeout: limitMs })
})
afterAll(async () => {
  await browser.close()
  await site.close()
  await writer.close()
  rmSync(folder, { recursive: true, force: true })
})

test('an attestation that is made while one looks appears, and the totals follow', async () => {
  const total = page.locator('dl', { hasText: 'Attestations' }).locator('dd').first()
  const before = Number(await total.textContent())
  await attest(easAttestations)
  await rowOf(easAttestations).waitFor({ timeout: limitMs })
  await expect.poll(async () => Number(await total.textContent()), { timeout: limitMs }).toBe(before + 1)
})

test('while one points at the latest attestations they hold still, and say how many wait', async () => {
  await page.getByRole('table', { name: 'Latest attestations' }).hover()
  await attest(easAttestations + 1)
  await page.getByText('1 new', { exact: true }).waitFor({ timeout: limitMs })
  expect(await rowOf(easAttestations + 1).count()).toBe(0)
  await page.mouse.move(5, 5)
  await rowOf(easAttestations + 1).waitFor({ timeout: limitMs })
})

test('a list says how many rows have arrived since, and moves only when asked to', async () => {
  const list = await browser.newPage({ viewport: { width: 390, height: 800 } })
  await list.goto(`${site.url}/attestations?protocol=eas`)
  await settle(list)
  const rows = list.getByRole('table', { name: 'Attestations, newest first' }).getByRole('row')
  const first = async () => ({
    box: await rows.nth(1).boundingBox(),
    opens: await rows.nth(1).getByRole('link').first().getAttribute('href'),
  })
  await rows.nth(1).getByText('Valid').waitFor({ timeout: limitMs })
  await rows.nth(1).getByText('OP Mainnet').waitFor({ timeout: limitMs })
  const before = await first()
  await attest(easAttestations + 2)
  const button = list.getByRole('button', { name: '1 new: show it' })
  await button.waitFor({ timeout: limitMs })
  expect(await first()).toEqual(before)
  const link = list.locator(`a[href="/attestation/${easAttestationId(easAttestations + 2)}"]`)
  expect(await link.count()).toBe(0)
  await button.click()
  await link.waitFor({ timeout: limitMs })
  await button.waitFor({ state: 'detached', timeout: limitMs })
  await list.close()
})

test('no chain counts as up to date without an answer of the server, whatever the clock of the reader says', async () => {
  const chains = await browser.newPage({ locale: 'en-GB', timezoneId: 'UTC' })
  const nowMs = Date.now()
  // Up to date however long the test takes.
  await saveStatus({ headBlock: 1, updatedAt: unixMilliseconds(nowMs + 3_600_000) })
  // The clock of the reader's machine is five hours wrong.
  await chains.clock.install({ time: nowMs + 5 * 3_600_000 })
  await chains.goto(site.url)
  await settle(chains)
  const light = (state: string) => chains.getByRole('link', { name: `OP Mainnet: ${state}` })
  await light('Up to date').waitFor({ timeout: limitMs })
  const newest = chains.getByRole('table', { name: 'Latest attestations' }).locator('time').first()
  await expect.poll(async () => await newest.textContent(), { timeout: limitMs }).toMatch(/^just now$| ago$/)

  await chains.context().setOffline(true)
  await chains.clock.fastForward(10_000)
  await light('State not known').waitFor({ timeout: limitMs })
  expect(await chains.getByText('Up to date').count()).toBe(0)
  expect(await chains.getByText('Live', { exact: true }).count()).toBe(0)
  await chains.getByRole('status').filter({ hasText: 'The server has not answered since' }).waitFor()

  await chains.context().setOffline(false)
  await chains.clock.fastForward(10_000)
  await light('Up to date').waitFor({ timeout: limitMs })
  await chains.close()
})

test('a chain that is behind is named on every page, with how far and why', async () => {
  const nowS = Math.floor(Date.now() / 1000)
  const block = easAttestations + 4
  await saveStatus({
    phase: 'retrying',
    headBlock: block + 1800,
    indexedBlock: block,
    indexedTimestamp: unixSeconds(nowS - 7200),
    lastError: 'The endpoint does not answer.',
  })
  await page.goto(`${site.url}/schemas`)
  const banner = page.getByRole('status').filter({ hasText: 'OP Mainnet' })
  await banner.waitFor({ timeout: limitMs })
  // The banner appears after the rest of the page, and must not shift the layout.
  expect((await page.locator('main').boundingBox())?.y).toBe(
    (await page.locator('header').first().boundingBox())?.height,
  )
  expect(await banner.textContent()).toMatch(/not answering, .+ behind\. .*The endpoint does not answer\./)
})

function rowOf(number: number) {
  return page.locator(`a[href="/attestation/${easAttestationId(number)}"]`)
}

/** Reports the state of the chain: at its head, unless the changes say otherwise. */
async function saveStatus(changes: Partial<ChainStatus>): Promise<void> {
  const now = unixSeconds(Math.floor(Date.now() / 1000))
  await writer.saveChainStatus({
    chainId: easChainId,
    name: 'OP Mainnet',
    explorer: null,
    protocols: ['eas'],
    phase: 'following',
    headBlock: easAttestations + 4,
    headTimestamp: now,
    headSource: 'polling',
    indexedBlock: easAttestations + 4,
    indexedTimestamp: now,
    fromChunks: null,
    reachedHead: true,
    eventsPerSecond: 0,
    blocksMended: 0,
    history: [],
    lastError: null,
    updatedAt: currentTimeMs(),
    ...changes,
  })
}

/** The next block of the chain, with one attestation. */
async function attest(number: number): Promise<void> {
  const block = easAttestationBlock(number, Math.floor(Date.now() / 1000))
  await writer.applyBlocks(easChainId, {
    fromBlock: block.number,
    checkpoint: { blockNumber: block.number, timestamp: block.timestamp },
    events: block.events,
    recentBlocks: [],
    forgetBlocksBelow: block.number,
    storedAt: currentTimeMs(),
  })
}
