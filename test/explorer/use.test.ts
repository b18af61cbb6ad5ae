import { expect, test } from 'vitest'
import { firstCases } from '../harness/nightly.ts'
import { findAxeViolations } from './browser/findAxeViolations.ts'
import { settle } from './browser/settle.ts'
import { useStage } from './browser/useStage.ts'
import { watchPage } from './browser/watchPage.ts'
import {
  oddAttestationId,
  oddAttester,
  oddSchemaId,
  type OddAttestation,
  type OddSchema,
} from './fixture/oddBlocks.ts'

const stage = useStage()

/** The limit of compressed JavaScript of a first visit, in bytes. */
const scriptBytesMax = 150_000

test.each([
  '/',
  '/schemas',
  '/attestations',
  '/search?q=KYC',
  `/schema/${oddSchemaId('plain')}`,
  `/attestation/${oddAttestationId('valid')}`,
  `/address/${oddAttester}`,
])('the page %s names the code that it is made of', async (path) => {
  const html = await (await fetch(stage.site.url + path)).text()
  expect(html).toMatch(
    /<link rel="modulepreload" fetchpriority="low" crossorigin href="\/assets\/\w+Page-[\w-]+\.js">/,
  )
})

test('what browsers and crawlers ask of every host is there', async () => {
  const [robots, icon] = await Promise.all(
    ['/robots.txt', '/favicon.ico'].map((path) => fetch(stage.site.url + path)),
  )
  expect([robots?.status, robots?.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
  expect(await robots?.text()).toMatch(/^User-agent: \*\n(?:Disallow: \/[\w/]+\n)+$/)
  expect([icon?.status, icon?.headers.get('content-type')]).toEqual([200, 'image/x-icon'])
  await stage.withPage({}, async (page) => {
    await page.goto(`${stage.site.url}/robots.txt`)
    const width = await page.evaluate(async () => {
      const image = new Image()
      image.src = '/favicon.ico'
      await image.decode()
      return image.naturalWidth
    })
    expect(width).toBe(32)
  })
})

test.each(firstCases(1, ['dark', 'light'] as const))(
  'the chosen segment stands out from the others in the %s',
  async (colorScheme) => {
    await stage.withPage({ colorScheme }, async (page) => {
      await page.goto(`${stage.site.url}/`)
      await settle(page)
      const backgrounds = await page
        .getByRole('radiogroup')
        .first()
        .evaluate((group) => {
          const lightness = (element: Element) => {
            const [red = 0, green = 0, blue = 0] =
              getComputedStyle(element).backgroundColor.match(/\d+/g)?.map(Number) ?? []
            return 0.2126 * red + 0.7152 * green + 0.0722 * blue
          }
          const chosen = group.querySelector('label:has(:checked)') ?? group
          return { group: lightness(group), chosen: lightness(chosen) }
        })
      expect(Math.abs(backgrounds.chosen - backgrounds.group)).toBeGreaterThan(12)
    })
  },
)

test('the head leads to the check of an attestation and to the guide, which finds sections by their words', async () => {
  await stage.withPage({}, async (page) => {
    await page.goto(`${stage.site.url}/schemas`)
    await settle(page)
    const head = page.getByRole('navigation', { name: 'Main' })
    expect(await head.getByRole('link', { name: 'Docs' }).getAttribute('href')).toBe('/guide/api#records')
    await head.getByRole('link', { name: 'Docs' }).click()
    await page.getByRole('heading', { name: 'The interface', level: 1 }).waitFor()
    await page.getByRole('searchbox').fill('policy terms')
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('link', { name: 'Terms', exact: true }).click()
    await page.waitForURL(`${stage.site.url}/guide/gate#terms`)
    expect((await findAxeViolations(page)).join('\n')).toBe('')
    await page.getByRole('link', { name: 'Attestry', exact: true }).click()
    await settle(page)
    await head.getByRole('link', { name: 'Verify' }).click()
    await page.waitForURL(`${stage.site.url}/verify`)
  })
})

test('the first load of the home page takes less than 150 kB of JavaScript', async () => {
  const { site } = stage
  await stage.withPage({}, async (page) => {
    await page.goto(`${site.url}/`)
    await settle(page)
    const sizes = await page.evaluate(() =>
      (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
        .filter(({ name }) => new URL(name).pathname.endsWith('.js'))
        .map(({ encodedBodySize }) => encodedBodySize),
    )
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(scriptBytesMax)
  })
})

test.each([
  ...firstCases<OddSchema>(2, ['override', 'html', 'homoglyph', 'invisible', 'zalgo']).map((name) => [
    `schema ${name}`,
    `/schema/${oddSchemaId(name)}`,
  ]),
  ...firstCases<OddAttestation>(2, [
    'recipients',
    'html',
    'override',
    'homoglyph',
    'invisible',
    'links',
    'revokedWithHtml',
  ]).map((name) => [`attestation ${name}`, `/attestation/${oddAttestationId(name)}`]),
] as [name: string, path: string][])(
  'text that wants to deceive is shown as text: %s',
  async (_name, path) => {
    const { site } = stage
    await stage.withPage({}, async (page) => {
      const watch = await watchPage(page, site.url)
      await page.goto(site.url + path)
      await settle(page)
      const found = await page.evaluate(() => ({
        title: document.title,
        elements: document.querySelectorAll('main script, main iframe, main img, main style, main [onerror]')
          .length,
        links: [...document.querySelectorAll('a[href]')].filter(
          (link) => !/^https?:$/.test(new URL(link.getAttribute('href') ?? '', location.href).protocol),
        ).length,
        text: document.body.innerText,
      }))
      expect(found).toMatchObject({ elements: 0, links: 0 })
      expect(found.title).not.toBe('pwned')
      // Bidirectional control characters are removed, or shown as visible symbols.
      expect(found.title + found.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/)
      expect(watch.problems).toEqual([])
    })
  },
)

test.each(firstCases<OddSchema>(1, ['homoglyph', 'override', 'invisible']))(
  'a name that could deceive carries a warning: %s',
  async (name) => {
    const { site } = stage
    await stage.withPage({}, async (page) => {
      await page.goto(`${site.url}/schema/${oddSchemaId(name)}`)
      await settle(page)
      await page.locator('main [aria-label^="Warning"]').first().waitFor({ timeout: 60_000 })
      expect(await page.locator('main [aria-label^="Warning"]').count()).toBeGreaterThan(0)
    })
  },
)

test('the keyboard reaches the content first, then the search by its shortcut, and what it finds', async () => {
  const { site } = stage
  await stage.withPage({}, async (page) => {
    await page.goto(`${site.url}/schemas`)
    await settle(page)
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('#content')
    await page.keyboard.press('/')
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
    await page.keyboard.type('KYC Level 2')
    await page.getByRole('listbox').getByRole('option').first().waitFor({ timeout: 60_000 })
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/(?:schema\/|search\?q=)/, { timeout: 60_000 })
    expect(new URL(page.url()).origin).toBe(site.url)
  })
})

test('filters stand in the address, and back and forward keep them', async () => {
  const { site } = stage
  await stage.withPage({}, async (page) => {
    await page.goto(`${site.url}/attestations?page=3`)
    await settle(page)
    await page.locator('main table a[href^="/attestation/"]').first().click()
    await page.waitForURL(/\/attestation\//)
    await settle(page)
    await page.goBack()
    await settle(page)
    expect(new URL(page.url()).search).toBe('?page=3')
    await page.goForward()
    await page.waitForURL(/\/attestation\//)
    expect(new URL(page.url()).pathname).toMatch(/^\/attestation\/onchain_evm_/)
  })
})
