import { expect, test } from 'vitest'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'

const stage = useStage()

test('charts are drawn where the index refuses to count the attesters', async () => {
  await stage.withPage({}, async (page) => {
    await page.route(/by=attester/, (route) =>
      route.fulfill({
        status: 400,
        json: { success: false, statusCode: 400, data: {}, message: 'These are too many attesters.' },
      }),
    )
    await page.goto(`${stage.site.url}/stats`)
    await settle(page)
    await page.getByText('These are too many attesters.').first().waitFor()
    // Of attestations, revocations and recipients.
    await page.getByText('Show as a table').nth(2).waitFor()
    expect(await page.locator('[aria-busy=true]').count()).toBe(0)
  })
})
