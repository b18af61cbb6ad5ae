import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { profileOfContent, profileTextOf, readRegistration } from './agentRegistration.ts'

const base64 = (text: string) => `data:application/json;base64,${Buffer.from(text).toString('base64')}`

const compressed = (bytes: Uint8Array, encoding = 'gzip') =>
  `data:application/json;enc=${encoding};level=6;base64,${Buffer.from(bytes).toString('base64')}`

describe('the registration in a URI', () => {
  const file = JSON.stringify({
    name: 'Ada',
    description: 'adds',
    image: 'ipfs://i',
    active: true,
    services: [{ name: 'MCP', endpoint: 'https://a.example', version: '1' }, 'no service', { name: 5 }],
  })
  const profile = {
    uriState: 'read',
    name: 'Ada',
    description: 'adds',
    active: true,
    endpoints: [
      { name: 'MCP', endpoint: 'https://a.example', version: '1' },
      { name: '', endpoint: '', version: '' },
    ],
  }

  test.each([
    ['base64', base64(file)],
    [
      'base64 in upper case',
      base64(file).replace('data:application/json;base64', 'DATA:APPLICATION/JSON;BASE64'),
    ],
    ['percent-encoding', `data:application/json,${encodeURIComponent(file)}`],
    ['plain text', `data:application/json;utf8,${file}`],
    ['plain text with a charset', `data:application/json;charset=utf-8,${file}`],
    ['no media type', `data:,${encodeURIComponent(file)}`],
    ['base64 with a charset', base64(file).replace(';base64', ';charset=utf-8;base64')],
    ['base64 before its charset', base64(file).replace(';base64', ';base64;charset=utf-8')],
    ['base64url without padding', `data:;base64,${Buffer.from(file).toString('base64url')}`],
    [
      'base64 with encoded padding',
      `data:;base64,${encodeURIComponent(Buffer.from(`${file} `).toString('base64'))}`,
    ],
    ['base64 in lines', base64(file).replace(/.{76}/g, '$&\n')],
    ['white space in front', `\n ${base64(file)}\n`],
    ['gzip', compressed(gzipSync(file))],
    ['brotli', compressed(brotliCompressSync(file), 'br')],
    ['JSON in place of a URI', ` ${file}`],
    ['percent-encoded JSON in place of a URI', encodeURIComponent(file)],
    ['base64 in place of a URI', Buffer.from(file).toString('base64')],
    ['base64url in place of a URI', Buffer.from(`{\n "a": 1, ${file.slice(1)}`).toString('base64url')],
  ])('is read from %s', (_, uri) => {
    expect(readRegistration(uri).profile).toMatchObject(profile)
  })

  test('keeps endpoints of earlier drafts', () => {
    const { profile: read } = readRegistration(base64('{"endpoints":[{"name":"A2A","endpoint":"x"}]}'))
    expect(read).toMatchObject({ active: null, endpoints: [{ name: 'A2A', endpoint: 'x', version: '' }] })
  })

  test.each([
    ['', 'none'],
    ['ipfs://bafk', 'unread'],
    ['https://a.example/x.json', 'unread'],
    ['not a URI', 'unread'],
    ['eyes', 'unread'],
    ['eyJhbGciOi.eyJzdWIiOi.c2ln', 'unread'],
    [' ', 'none'],
  ])('of %j is %s', (uri, uriState) => {
    expect(readRegistration(uri)).toMatchObject({ profile: { uriState, uriReason: '' }, file: null })
  })

  test.each([
    ['no comma', 'data:application/json;base64', /has no comma/],
    ['other digits', 'data:;base64,!!!!', /is not valid base64/],
    ['bytes that are no UTF-8', 'data:;base64,//79', /is not valid base64 of UTF-8/],
    ['an array', base64('[1]'), /holds no JSON object/],
    ['half an object', base64('{"name":'), /holds no JSON object/],
    [
      'compression of another kind',
      'data:application/json;enc=lz4;base64,H4sI',
      /another way than gzip, deflate, br/,
    ],
    ['half a compressed file', 'data:application/json;enc=gzip;base64,H4sI', /holds no gzip in base64/],
    ['a bomb', compressed(gzipSync(`{"name":"${'x'.repeat(10_000_000)}"}`)), /of at most 262144 bytes/],
    ['half an object in place of a URI', '{"name":', /in place of a URI holds no JSON object/],
    ['a megabyte in place of a URI', `{"name":"${'x'.repeat(1_000_000)}"}`, /no more than 262144 bytes/],
    ['deep nesting', base64('{"a":'.repeat(40)), /deeper than 32/],
    ['a megabyte', `data:application/json,{"name":"${'x'.repeat(1_000_000)}"}`, /no more than 262144 bytes/],
    ['a quarter of a megabyte of base64', base64(`{"name":"${'x'.repeat(300_000)}"}`), /holds 300011 bytes/],
  ])('that is hostile by %s has a sentence', (_, uri, sentence) => {
    const { profile: read, file: none } = readRegistration(uri)
    expect([read.uriState, none]).toEqual(['refused', null])
    expect(read.uriReason).toMatch(sentence)
  })

  test('has bounded texts and no members of the prototype', () => {
    const { profile: read } = readRegistration(
      base64(JSON.stringify({ name: 'x'.repeat(10_000), services: Array.from({ length: 500 }, () => ({})) })),
    )
    expect([read.name.length, read.endpoints.length]).toEqual([256, 64])
    expect(readRegistration(base64('{"__proto__":{"name":"no"}}')).profile.name).toBe('')
  })
})

describe('the profile of a file that was fetched', () => {
  const profileOf = (json: string) => profileOfContent('verified', '', profileTextOf(json))

  test('says what the registration of a data: URI with the same file says, but for its state', () => {
    const file = '{"name":"Ada","active":false,"services":[{"name":"MCP","endpoint":"https://a.example"}]}'
    expect({ ...profileOf(file), uriState: 'read' }).toEqual(readRegistration(base64(file)).profile)
  })

  test.each(['{}', '[]', '1', '"x"', '{"name":7,"active":"yes"}', '{"__proto__":{"name":"no"}}'])(
    'is empty for %s',
    (json) => {
      expect(profileTextOf(json)).toBeNull()
      expect(profileOf(json)).toMatchObject({ uriState: 'verified', name: '', active: null, endpoints: [] })
    },
  )

  test('is bounded whatever the file holds, and ends', () => {
    const control = '\u0001'.repeat(300)
    const service = { name: control, endpoint: control, version: control, skills: Array(40).fill(control) }
    const json = JSON.stringify({
      name: control,
      description: control,
      image: control,
      services: Array(99).fill(service),
      supportedTrust: Array(99).fill(control),
    })
    const text = profileTextOf(json) ?? ''
    expect(text.length).toBeLessThanOrEqual(48 * 1024)
    expect(JSON.parse(text)).toMatchObject({ name: control.slice(0, 256) })
  })
})
