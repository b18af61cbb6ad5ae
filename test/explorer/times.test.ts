import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { firstCases } from '../harness/nightly.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { oddAttestationId } from './fixture/oddBlocks.ts'

const stage = useStage()

/** The first moment among the facts of the record, as a machine reads it and as it is written. */
async function firstMoment(page: Page): Promise<readonly [machine: number, written: string]> {
  const time = page.locator('main dd time[title]').first()
  const [machine, title] = [await time.getAttribute('datetime'), await time.getAttribute('title')]
  return [Date.parse(machine ?? ''), title ?? '']
}

test.each(
  firstCases(1, [
    ['Asia/Kolkata', /^\d+ \w+ \d+, [\d:]+ UTC\+5:30$/],
    ['Europe/Berlin', /^\d+ \w+ \d+, [\d:]+ UTC\+[12]$/],
    ['America/St_Johns', /^\d+ \w+ \d+, [\d:]+ UTC-[23]:30$/],
  ]),
)(
  'moments are written in UTC, or in the time of %s, as the reader chose before',
  async (timezoneId, form) => {
    await stage.withPage({ timezoneId }, async (page) => {
      await page.goto(`${stage.site.url}/attestation/${oddAttestationId('valid')}`)
      await settle(page)
      const [moment, written] = await firstMoment(page)
      expect(written).toMatch(/^\d+ \w+ \d+, [\d:]+ UTC$/)
      expect(Date.parse(written)).toBe(moment)
      const times = page.getByRole('radiogroup', { name: 'Times' })
      await times.getByRole('radio', { name: 'Local' }).check()
      const [, local] = await firstMoment(page)
      expect(local).toMatch(form)
      // `Date.parse` needs UTC+5:30 as GMT+0530.
      const readable = local.replace(
        /UTC([+-])(\d+)(?::(\d+))?$/,
        (_, sign: string, hours: string, minutes = '00') => `GMT${sign}${hours.padStart(2, '0')}${minutes}`,
      )
      expect(Date.parse(readable)).toBe(moment)
      await page.reload()
      await settle(page)
      expect((await firstMoment(page))[1]).toBe(local)
      await times.getByRole('radio', { name: 'UTC' }).check()
      expect((await firstMoment(page))[1]).toBe(written)
    })
  },
)
