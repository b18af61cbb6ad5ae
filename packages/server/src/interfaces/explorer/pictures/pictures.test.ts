import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { createSampleIndex, sampleChain } from '../../../pipeline/testing/sampleIndex.ts'
import { sampleAttestation } from '../../../pipeline/testing/sampleRecords.ts'
import { openTestIndex } from '../../../pipeline/testing/testIndex.ts'
import { createServer } from '../../../testing/createServer.ts'
import { createFreshness } from '../../../pipeline/freshness/createFreshness.ts'
import { describePage } from '../describePage.ts'
import type { ExplorerState } from '../explorerSource.ts'
import { createPageTemplate } from '../pageTemplate.ts'
import { createPictures } from './createPictures.ts'
import { drawPicture } from './drawPicture.ts'
import { pictureFonts } from './pictureFonts.ts'
import { readFont } from './readFont.ts'

const template = createPageTemplate('<head><title></title></head>')
const state: ExplorerState = { kind: 'ready', build: { template, parts: new Map(), files: new Map() } }
const index = createSampleIndex()
const app = createServer({ reader: openTestIndex(index), explorer: { state: () => state } })
afterAll(() => app.close())
beforeEach(() => {
  Object.assign(index, createSampleIndex(), { version: index.version + 1 })
})

const [regular, bold, others] = pictureFonts.map((path) =>
  readFont(readFileSync(createRequire(import.meta.url).resolve(path))),
) as [ReturnType<typeof readFont>, ReturnType<typeof readFont>, ReturnType<typeof readFont>]
const fonts = { regular: [regular, others], bold: [bold, others] }
const textsOf = (svg: string) => Array.from(svg.matchAll(/<text [^>]*>([^<]*)</g), ([, text]) => text)

const id = 'onchain_evm_11155111_0x'
const imageOf = async (url: string, headers: Record<string, string> = {}) =>
  /property="og:image" content="([^"]*)"/.exec((await app.inject({ url, headers })).body)?.[1]

describe('a page', () => {
  test('names its picture by the origin that it was asked under', async () => {
    const headers = { host: 'index.example', 'x-forwarded-proto': 'https' }
    expect(await imageOf(`/attestation/${id}3?protocol=sign`, headers)).toBe(
      `https://index.example/picture/attestation/${id}3.png?protocol=sign`,
    )
    expect(await imageOf('/', headers)).toBe('https://index.example/picture/home.png')
    expect((await app.inject('/gate')).headers.vary).toBe('accept-encoding, host, x-forwarded-proto')
  })

  test.each(['/nowhere', `/attestation/${id}ffff`, '/address/0x12'])('%s has no picture', async (url) => {
    expect(await imageOf(url)).toBeUndefined()
  })

  test('has no picture under a malformed name of the server', async () => {
    expect(await imageOf('/', { host: '"><script>' })).toBeUndefined()
  })
})

describe('a picture', () => {
  test('is a PNG that caches may show for a minute', async () => {
    const response = await app.inject(`/picture/attestation/${id}3.png`)
    expect(response.statusCode).toBe(200)
    expect(response.headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=60',
    })
    const { rawPayload } = response
    expect(rawPayload.subarray(1, 4).toString()).toBe('PNG')
    expect([rawPayload.readUInt32BE(16), rawPayload.readUInt32BE(20)]).toEqual([1200, 630])
    const etag = String(response.headers.etag)
    const again = await app.inject({
      url: `/picture/attestation/${id}3.png`,
      headers: { 'if-none-match': etag },
    })
    expect([again.statusCode, again.body]).toEqual([304, ''])
  })

  test('is another one once its attestation is revoked', async () => {
    const etag = async () =>
      (await app.inject({ method: 'HEAD', url: `/picture/attestation/${id}3.png` })).headers.etag
    const revoked = await etag()
    index.revocations = {}
    index.version++
    expect(await etag()).not.toBe(revoked)
  })

  test.each([
    ['/picture/nowhere.png'],
    ['/picture/attestation.png'],
    ['/picture/home/x.png'],
    [`/picture/attestation/${id}3`],
    [`/picture/attestation/${id}ffff.png`],
    ['/picture/attestation/x.png'],
  ])('%s does not exist', async (url) => {
    const { statusCode, body } = await app.inject(url)
    expect(statusCode).toBe(404)
    expect((JSON.parse(body) as { message: string }).message).toMatch(/^There is no picture here\. /)
  })

  test('needs a key where the records need one, and their pages name none', async () => {
    const access = { private: { scan: ['/scan'] }, anonymous: true, origins: '*' } as const
    const closed = createServer({
      reader: openTestIndex(index),
      access,
      explorer: { state: () => state },
    })
    expect((await closed.inject(`/picture/attestation/${id}3.png`)).statusCode).toBe(401)
    expect((await closed.inject(`/attestation/${id}3`)).body).not.toContain('og:image')
    await closed.close()
  })
})

describe('the drawing', () => {
  test('says what an attestation is, and as of when', async () => {
    const draw = async (local: string) => {
      const reader = openTestIndex(index)
      const now = () => unixMilliseconds(1_700_000_130_000)
      const freshness = createFreshness({ reader, now, chainIds: [], findPublished: () => null })
      const { picture } = await describePage(
        { reader, now, freshness, sharing: 'public' },
        'attestation',
        `${id}${local}`,
        null,
      )
      if (picture === undefined) throw new Error('the page has no picture')
      return textsOf(drawPicture(picture, fonts))
    }
    index.chains = [sampleChain({ updatedAt: unixMilliseconds(1_700_000_130_000) })]
    index.attestations = index.attestations.with(5, sampleAttestation(6, { validUntil: 1_700_000_001n }))
    expect(await draw('5')).toEqual(expect.arrayContaining(['Valid', 'As of 14 Nov 2023, 22:15 UTC', '0x5']))
    expect(await draw('6')).toContain('Expired')
    expect(await draw('3')).toEqual(expect.arrayContaining(['Revoked', '1 of 4 recipients', '0xAb00…0003']))
    index.chains = [sampleChain({ updatedAt: unixMilliseconds(1_000) })]
    index.version++
    expect(await draw('5')).toContain('The index is behind')
    expect(await draw('3')).toContain('Revoked')
  })

  test('shows that characters are missing, and cuts what is too long', () => {
    const draw = (title: string) => textsOf(drawPicture({ kind: 'Schema', title }, fonts)).slice(2)
    expect(draw('KYC \u202E愛 ✓ 🎉\uFE0F שלום')).toEqual(['KYC □ ✓ □ שלום'])
    expect(draw('a\u0301\u0301\u0301\u0301\u0301')).toEqual(['a\u0301\u0301'])
    const lines = draw('word '.repeat(50))
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/…$/)
    expect(draw('W'.repeat(1_000))).toEqual([expect.stringMatching(/^W+$/), expect.stringMatching(/^W+…$/)])
  })

  test('leaves a text out for which a long title and a state leave no room', () => {
    const facts = [['Chain', 'Sepolia']] as const
    const state = { word: 'The index is behind', tone: 'warn' } as const
    const draw = (title: string) =>
      textsOf(drawPicture({ kind: 'Agent', title, text: 'Text of it', state, facts }, fonts))
    expect(draw('Short')).toContain('Text of it')
    expect(draw('word '.repeat(50))).not.toContain('Text of it')
  })

  test('escapes every text, and never leaves the picture', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 60 })
    fc.assert(
      fc.property(texts, texts, (title, text) => {
        const svg = drawPicture(
          {
            kind: 'Agent',
            title,
            text,
            facts: [['Chain', text]],
            id: title,
            state: { word: 'Valid', tone: 'good' },
          },
          fonts,
        )
        expect(svg.replaceAll(/<[^<>]*>/g, '')).not.toMatch(/[<>"'\p{Cc}\p{Cf}]|&(?!#\d+;)/u)
      }),
      { numRuns: 50 },
    )
  })
})

test('a thread draws texts of all kinds, and the same picture once', async () => {
  const pictures = createPictures()
  const title = String.fromCodePoint(
    ...Array.from({ length: 0x3000 }, (_, number) => number + 1),
  ).toWellFormed()
  for (const text of [title, title.slice(0x600, 0x700), '\u{1F600}'.repeat(9)]) {
    const png = await pictures.draw({
      kind: 'Agent',
      title: text,
      text: title,
      id: title,
      facts: [[text, title]],
    })
    expect(png.length).toBeGreaterThan(1_000)
  }
  const picture = { kind: '', title: 'One' }
  expect(pictures.draw(picture)).toBe(pictures.draw({ ...picture }))
  await pictures.close()
})
