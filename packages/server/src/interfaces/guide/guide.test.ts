import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, expect, test } from 'vitest'
import { createServer } from '../../testing/createServer.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { guideFiles } from './guidePages.ts'
import { readGuide } from './readGuide.ts'
import { searchGuide, wordsOf } from './searchGuide.ts'
import { serveGuide } from './serveGuide.ts'

const app: FastifyInstance = createServer({
  reader: openTestIndex(createSampleIndex()),
  wings: [serveGuide()],
})
afterAll(async () => {
  await app.close()
})

const browser = { accept: 'text/html,application/xhtml+xml' }
const pageOf = async (url: string) => await app.inject({ url, headers: browser })

test('every document for users is a page', () => {
  const forContributors = ['docs/architecture.md', 'docs/hall.md']
  const documents = readdirSync(join(import.meta.dirname, '../../../../../docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`)
    .filter((path) => !forContributors.includes(path))
  expect(Object.values(guideFiles)).toEqual(expect.arrayContaining(documents))
})

test('the image has every page, although its build leaves folders out', () => {
  const ignored = readFileSync(join(import.meta.dirname, '../../../../../.dockerignore'), 'utf8').split('\n')
  for (const path of Object.values(guideFiles)) {
    const isLeftOut = ignored.includes(path.split('/')[0] ?? '')
    expect([path, isLeftOut && !ignored.includes(`!${path}`)]).toEqual([path, false])
  }
})

test('each link of each page leads to a page and a heading that exist, or to the repository', async () => {
  const problems: string[] = []
  const anchors = new Map<string, ReadonlySet<string>>()
  const links: (readonly [string, URL])[] = []
  for (const url of ['/guide', '/guide/', ...Object.keys(guideFiles).map((name) => `/guide/${name}`)]) {
    const { statusCode, body } = await pageOf(url)
    expect([url, statusCode]).toEqual([url, 200])
    anchors.set(url, new Set(Array.from(body.matchAll(/ id="([^"]*)"/g), ([, id = '']) => id)))
    for (const [, href = ''] of body.matchAll(/ (?:href|src)="([^"]*)"/g)) {
      links.push([url, new URL(href.replaceAll('&#38;', '&'), `http://server${url}`)])
    }
  }
  for (const [url, { host, pathname, hash }] of links) {
    if (host !== 'server') continue
    if (!anchors.has(pathname) && (await pageOf(pathname)).statusCode === 200)
      anchors.set(pathname, new Set())
    const known = anchors.get(pathname)
    if (known === undefined || (hash !== '' && !known.has(decodeURIComponent(hash.slice(1))))) {
      problems.push(`${url}: ${pathname}${hash}`)
    }
  }
  expect(problems).toEqual([])
  expect(links.filter(([, { host }]) => host === 'github.com').length).toBeGreaterThan(5)
})

test('a page is Markdown made into HTML, with nothing of other hosts, and asks nothing but this server', async () => {
  const { body, headers } = await pageOf('/guide/gate')
  expect(body).toContain('<h1 id="the-gate-rules-in-verdict-out">')
  expect(body).toContain('<h2 id="a-policy">')
  expect(body).toContain('<a href="../guide/gate" aria-current="page">')
  expect(body).toMatch(/<pre tabindex="0"><code>policies:/)
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  )
  expect(
    Array.from(body.matchAll(/<(?:script|link|img)[^>]* (?:src|href)="([^"]*)"/g), ([, to]) => to),
  ).toEqual(['../docs/favicon-32x32.png', '../guide/guide.css', '../docs/theme.js'])
  expect((await app.inject('/guide/gate.md')).headers['content-type']).toBe('text/markdown; charset=utf-8')
})

test('a missing page is a page for a browser, and a sentence for a program', async () => {
  const page = await pageOf('/guide/nope')
  expect([page.statusCode, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
  expect((await app.inject('/guide/nope')).json()).toEqual({
    success: false,
    statusCode: 404,
    data: {},
    message: "The guide has no page 'nope'; /guide lists its pages.",
  })
})

test('a search finds the sections that have all words, those with them in their heading first', async () => {
  const pages = readGuide()
  const find = (query: string) =>
    searchGuide(pages.values(), wordsOf(query)).map(({ page, section }) => `${page.name}#${section.anchor}`)
  expect(find('snapshot')[0]).toBe('gate#snapshot')
  expect(find('gate snapshot')[0]).toBe('gate#snapshot')
  expect(find('typed TABLES')).toContain('sql#tables-of-one-schema')
  expect(find('maxStaleness snapshot nowhere')).toEqual([])
  expect(find('  ')).toEqual([])
  for (const hit of searchGuide(pages.values(), ['checkpoint'])) {
    expect(`${hit.section.title} ${hit.excerpt}`.toLowerCase()).toContain('checkpoint')
  }

  const { body, statusCode } = await pageOf(`/guide?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
  expect(statusCode).toBe(200)
  expect(body).not.toContain('<script>alert')
  expect(body).toContain('Nothing in the guide has all of')
  expect((await pageOf('/guide?q=gate+snapshot')).body).toContain('<mark>')
  expect((await pageOf(`/guide?q=${'a+'.repeat(3000)}`)).statusCode).toBe(200)
})

test('two headings of one name have anchors of their own', () => {
  for (const { name, sections } of readGuide().values()) {
    const anchors = sections.map(({ anchor }) => anchor)
    expect([name, new Set(anchors).size]).toEqual([name, anchors.length])
  }
})
