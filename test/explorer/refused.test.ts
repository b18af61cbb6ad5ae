import { expect, test } from 'vitest'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { demoChainId } from './fixture/fillExplorerIndex.ts'
import { oddAttestationId, oddSchemaId } from './fixture/oddBlocks.ts'
import { veraxPortal } from './fixture/veraxBlocks.ts'

const stage = useStage()

const refusal = { success: false, statusCode: 400, data: {}, message: 'This takes too much.' }

test('charts are drawn where the server refuses to count the attesters', async () => {
  await stage.withPage({}, async (page) => {
    await page.route(/by=attester/, (route) => route.fulfill({ status: 400, json: refusal }))
    await page.goto(`${stage.site.url}/stats`)
    await settle(page)
    await page.getByText(refusal.message).first().waitFor()
    // Of attestations, revocations and recipients.
    await page.getByText('Show as a table').nth(2).waitFor()
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })
})

const pages = [
  '/schemas?order=top',
  `/schema/onchain_evm_${demoChainId}_0x1`,
  `/schema/${oddSchemaId('nameless')}`,
  `/portal/${veraxPortal}`,
  `/attestation/${oddAttestationId('valid')}`,
]

test.each(pages)('nothing of %s stays a placeholder where the server refuses its parts', async (path) => {
  await stage.withPage({}, async (page) => {
    await page.route(/\/by-ids|\/graphql/, (route) => route.fulfill({ status: 400, json: refusal }))
    await page.goto(`${stage.site.url}${path}`)
    await settle(page)
    await page
      .getByText(/^(Unknown|Not known)$/)
      .first()
      .waitFor()
    expect(await page.locator('main [data-skeleton]').count()).toBe(0)
  })
})
