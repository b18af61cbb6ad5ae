import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { easAttestationId, easSchemaId } from './fixture/easBlocks.ts'
import { easExplorerUrl } from './fixture/fillExplorerIndex.ts'
import { sharedSchemaId, veraxAttestationId } from './fixture/veraxBlocks.ts'
import { firstCases } from '../harness/nightly.ts'

const stage = useStage()

const open = async (page: Page, path: string) => {
  await page.goto(stage.site.url + path)
  await settle(page)
}

test('rows of two protocols of one chain say which protocol they are of', async () => {
  const [, , , sharedLocalId = ''] = sharedSchemaId.split('_')
  await stage.withPage({}, async (page) => {
    for (const path of ['/schemas?chainId=59144', `/search?q=${sharedLocalId}`]) {
      await open(page, path)
      const rows = page.getByRole('row').filter({ has: page.locator(`[title="${sharedSchemaId}"]`) })
      await rows.first().waitFor()
      // The answer about chains comes beside that about the rows, here and below.
      const chains = rows.locator('td[data-label="Chain"]')
      await expect
        .poll(async () => (await chains.allTextContents()).map((text) => text.trim()).sort())
        .toEqual(['Linea EAS', 'Linea Verax'])
    }
    await open(page, '/')
    const newest = page.getByRole('row').filter({ has: page.locator(`[title="${veraxAttestationId(3)}"]`) })
    await expect.poll(() => newest.locator('td[data-label="Chain"]').textContent()).toBe('Linea Verax')
  })
})

test.each(
  firstCases(1, [
    [`/schema/${sharedSchemaId}?protocol=verax`, 'Schema Linea Verax'],
    [`/schema/${sharedSchemaId}`, 'Schema Linea EAS'],
    [`/attestation/${veraxAttestationId(3)}`, 'Attestation Linea Verax'],
  ]),
)('the head of %s reads %s', async (path, head) => {
  await stage.withPage({}, async (page) => {
    await open(page, path)
    await expect.poll(() => page.locator('main header p').first().textContent()).toBe(head)
  })
})

test.each(firstCases(1, [`/attestation/${easAttestationId(0)}`, `/schema/${easSchemaId}`]))(
  'the block of the record stands among the facts of %s, with its block explorer',
  async (path) => {
    const transaction = await transactionOf(path)
    await stage.withPage({}, async (page) => {
      await open(page, path)
      const link = page.locator(`main a[href^="${easExplorerUrl}/block/"]`)
      expect(await link.getAttribute('href')).toBe(`${easExplorerUrl}/block/${transaction.blockNumber}`)
    })
  },
)

test('the certificate names protocol and block', async () => {
  const path = `/attestation/${easAttestationId(0)}`
  const { blockNumber } = await transactionOf(path)
  await stage.withPage({}, async (page) => {
    await open(page, path)
    await page.emulateMedia({ media: 'print' })
    await expect
      .poll(async () => (await page.locator('main').innerText()).replaceAll(/\s+/g, ' '))
      .toMatch(new RegExp(`Protocol EAS Block ${blockNumber} Transaction 0x`))
  })
})

/** The transaction of the record that a path shows, as the interface answers it. */
async function transactionOf(path: string): Promise<{ readonly blockNumber: number }> {
  const [, kind, id] = path.split('/')
  const record = await read<{ readonly transactionHash: string }>(`/scan/${kind}s/${id}`)
  return await read(`/scan/transactions/${record.transactionHash}`)
}

async function read<Data>(path: string): Promise<Data> {
  // An answer of the API.
  return ((await (await fetch(stage.site.url + path)).json()) as { readonly data: Data }).data
}
