import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { OffchainCheck } from '@attestry/core/model/offchainRecord.ts'
import { checkOffchain } from './checkOffchain.ts'
import { offchainTextMax, readOffchain } from './readOffchain.ts'
import { documentedEnvelope, documentedLink, earlyLink } from './testing/publishedSamples.ts'
import {
  linkWithSdk,
  sepoliaEas,
  signAsBas,
  signAsBasInGo,
  signAsFirstSdks,
  signer,
  signWithSdk,
  stranger,
} from './testing/sdkVectors.ts'

type CheckName = OffchainCheck['name']

const now = unixSeconds(1_800_000_000)

/** The names of the checks that fail; `format` alone where the text cannot be read. */
async function failures(text: string, at = now): Promise<readonly CheckName[]> {
  const read = await readOffchain(text)
  if (read.kind === 'unreadable') return ['format']
  const checks = await checkOffchain(read.record, { now: at })
  return checks.filter(({ ok }) => !ok).map(({ name }) => name)
}

async function reasonOf(text: string): Promise<string> {
  const read = await readOffchain(text)
  return read.kind === 'unreadable' ? read.reason : ''
}

describe('an attestation that holds', () => {
  test.each([0, 1, 2] as const)('is one of EAS, version %i, as its SDK makes it', async (version) => {
    expect(await failures(await signWithSdk({ version }))).toEqual([])
  })
  test.each([0, 1, 2] as const)('is a link of version %i on any host', async (version) => {
    const link = await linkWithSdk({ version })
    expect(await failures(`https://sepolia.easscan.org${link}`)).toEqual([])
    expect(await failures(JSON.stringify({ url: link }))).toEqual([])
  })
  test('is one of the first SDKs, whose signature stands in sig itself', async () => {
    expect(await failures(await signAsFirstSdks())).toEqual([])
  })
  test.each([
    ['the envelope of the documentation', documentedEnvelope],
    ['the link of the documentation', documentedLink],
    ['a link of early 2023', earlyLink],
  ])('is %s', async (_name, text) => {
    expect(await failures(text, unixSeconds(1_694_230_000))).toEqual([])
  })
  test('is one of BAS, in an envelope or a link', async () => {
    const envelope = await signAsBas()
    const { sig, signer: by } = JSON.parse(envelope) as BasEnvelope
    const { domain, message, signature } = sig
    const list = [
      ...[domain['version'], domain['chainId'], domain['verifyingContract']],
      ...[signature['r'], signature['s'], signature['v'], by, sig.uid],
      ...['schema', 'recipient', 'time', 'expirationTime', 'refUID', 'revocable', 'data'].map(
        (name) => message[name],
      ),
      ...[0, 1],
    ]
    expect(await failures(envelope)).toEqual([])
    expect(await failures(packLink(Buffer.from(JSON.stringify(list))))).toEqual([])
  })
  test.each([false, true])(
    'is one of BAS with a nonce and names in capitals; in an envelope: %s',
    async (isWrapped) => {
      const text = await signAsBasInGo({ isWrapped })
      expect(await failures(text)).toEqual([])
      expect(await readOffchain(text)).toMatchObject({ record: { signer: signer.address.toLowerCase() } })
      const changed = JSON.parse(text) as { message?: object; sig?: { message: object } }
      Object.assign(changed.message ?? changed.sig?.message ?? {}, { nonce: 4 })
      expect(await failures(JSON.stringify(changed))).toEqual(isWrapped ? ['signature'] : [])
      // Without a named signer, a changed message is signed by somebody else.
      const read = await readOffchain(JSON.stringify(changed))
      const by = read.kind === 'record' ? read.record.signer : ''
      expect(by === signer.address.toLowerCase()).toBe(isWrapped)
    },
  )
  test('is a file as people have it', async () => {
    const envelope = await signWithSdk()
    const stored = JSON.stringify({ filename: 'a.eas.txt', textJson: envelope })
    const pretty = JSON.stringify(JSON.parse(envelope), null, 2).replaceAll('\n', '\r\n')
    for (const text of [
      stored,
      `\uFEFF${pretty}\r\n`,
      `\uFEFF${stored}`,
      JSON.stringify({ textJson: pretty }),
    ]) {
      expect(await failures(text)).toEqual([])
    }
  })
  test('is a link with parameters of those who shared it', async () => {
    const link = await linkWithSdk()
    const packed = link.slice(link.indexOf('#') + 1)
    for (const shared of [
      `${link}&utm_source=x`,
      `https://easscan.org/offchain/url/?utm_source=a#${packed}&utm=b`,
      `https://a.example/#utm_source=x&${packed}`,
    ]) {
      expect([shared.slice(-20), await failures(shared)]).toEqual([shared.slice(-20), []])
    }
  })
  test('is read with its members', async () => {
    expect(await readOffchain(await signWithSdk())).toMatchObject({
      record: {
        signer: signer.address.toLowerCase(),
        domain: {
          name: 'EAS Attestation',
          version: '1.2.0',
          chainId: 11_155_111,
          contract: sepoliaEas.toLowerCase(),
        },
        recipients: ['0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5'],
        time: '1700000000',
        expirationTime: '1900000000',
        revocable: true,
      },
    })
  })
})

describe('an attestation that does not hold', () => {
  test('is expired', async () => {
    expect(await failures(await signWithSdk(), unixSeconds(1_900_000_000))).toEqual(['expiry'])
    expect(await failures(await signWithSdk(), unixSeconds(1_899_999_999))).toEqual([])
  })
  test('claims a time in the future', async () => {
    const soon = unixSeconds(1_700_000_000 - 600)
    expect(await failures(await signWithSdk(), soon)).toEqual([])
    expect(await failures(await signWithSdk(), unixSeconds(soon - 1))).toEqual(['expiry'])
    const read = await readOffchain(await signAsBasInGo({ time: 1_700_000_000_000, isWrapped: true }))
    if (read.kind !== 'record') throw new TypeError(read.reason)
    const checks = await checkOffchain(read.record, { now })
    expect(checks.find(({ name }) => name === 'expiry')).toEqual({
      name: 'expiry',
      ok: false,
      message:
        'Its time, 1700000000000, is in the future: it seems to be in milliseconds, and EAS counts seconds.',
    })
  })
  test('is signed for a contract that is not known', async () => {
    expect(await failures(await signWithSdk({ contract: `0x${'12'.repeat(20)}` }))).toEqual(['domain'])
    expect(await failures(await signWithSdk({ chainId: 5n }))).toEqual(['domain'])
    const read = await readOffchain(await signWithSdk({ chainId: 5n }))
    if (read.kind !== 'record') throw new TypeError(read.reason)
    const isKnownContract = (chainId: number, contract: string) =>
      chainId === 5 && contract === sepoliaEas.toLowerCase()
    const checks = await checkOffchain(read.record, { now, isKnownContract })
    expect(checks.every(({ ok }) => ok)).toBe(true)
  })

  const changes: readonly (readonly [path: string, value: unknown, failing: readonly CheckName[]])[] = [
    ['signer', stranger.address, ['signature']],
    ['sig.uid', `0x${'00'.repeat(32)}`, ['uid']],
    ['sig.domain.name', 'EAS', ['domain', 'signature']],
    ['sig.domain.name', 'BAS Attestation', ['signature']],
    ['sig.domain.version', '1.2.1', ['signature']],
    ['sig.domain.chainId', '1', ['domain', 'signature']],
    ['sig.domain.verifyingContract', stranger.address, ['domain', 'signature']],
    ['sig.message.schema', `0x${'5b'.repeat(32)}`, ['uid', 'signature']],
    // The uid hashes the text of the schema; the signature its bytes.
    ['sig.message.schema', `0x${'5A'.repeat(32)}`, ['uid']],
    ['sig.message.recipient', stranger.address, ['uid', 'signature']],
    ['sig.message.time', '1700000001', ['uid', 'signature']],
    ['sig.message.expirationTime', '1900000001', ['uid', 'signature']],
    ['sig.message.revocable', false, ['uid', 'signature']],
    ['sig.message.refUID', `0x${'00'.repeat(32)}`, ['uid', 'signature']],
    ['sig.message.data', '0x', ['uid', 'signature']],
    ['sig.message.salt', `0x${'00'.repeat(32)}`, ['uid', 'signature']],
    ['sig.signature.r', `0x${'01'.repeat(32)}`, ['signature']],
    ['sig.signature.s', `0x${'01'.repeat(32)}`, ['signature']],
    ['sig.signature.s', `0x${'ff'.repeat(32)}`, ['signature']],
    ['sig.signature.v', 29, ['signature']],
    ['sig.signature', '0x', ['signature']],
    ['sig.version', 1, ['format']],
    ['sig.message.version', 1, ['format']],
    ['sig.types', { Attest: [] }, ['format']],
    ['sig.types', { Mail: [] }, ['format']],
    ['sig.message.time', '-1', ['format']],
    ['sig.message.time', 1.5, ['format']],
    ['sig.message.time', (2n ** 64n).toString(), ['format']],
    ['sig.message.revocable', 'true', ['format']],
    ['sig.message.recipient', 'vitalik.eth', ['format']],
    ['sig.message.data', '0x0', ['format']],
    ['sig.domain.chainId', (2n ** 60n).toString(), ['format']],
  ]
  test.each(changes)('has another %s: %j', async (path, value, failing) => {
    expect(await failures(withMember(await signWithSdk(), path, value))).toEqual(failing)
  })

  const required = [
    'signer',
    'sig',
    'sig.domain',
    'sig.domain.version',
    'sig.domain.chainId',
    'sig.domain.verifyingContract',
    'sig.types',
    'sig.message',
    'sig.message.schema',
    'sig.message.recipient',
    'sig.message.time',
    'sig.message.expirationTime',
    'sig.message.revocable',
    'sig.message.refUID',
    'sig.message.data',
    'sig.message.salt',
    'sig.signature.r',
    'sig.signature.s',
    'sig.signature.v',
  ]
  test.each(required)('lacks %s, which is said', async (path) => {
    const text = withMember(await signWithSdk(), path, undefined)
    expect(await failures(text)).toEqual(['format'])
    expect(await reasonOf(text)).toMatch(
      new RegExp(path === 'sig' ? 'none of these' : `${path.split('.').at(-1)} is missing`),
    )
  })
})

describe('whatever else is given', () => {
  test('is unreadable, with a reason, and never an error', async () => {
    const arbitrary = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => `{"sig":${json},"signer":""}`),
    )
    await fc.assert(
      fc.asyncProperty(arbitrary, async (text) => {
        expect(await readOffchain(text)).toMatchObject({ kind: 'unreadable' })
      }),
    )
  })
  test('may be nested as deeply as a body allows', async () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    for (const text of [deep, `{"sig":${deep}}`, `{"signType":"evm-eip712","message":${deep}}`]) {
      expect(await failures(text)).toEqual(['format'])
    }
  })
  test('may not be longer than the greatest length', async () => {
    expect(await reasonOf(' '.repeat(offchainTextMax + 1))).toBe(
      'The input is longer than 1048576 characters',
    )
  })
  test('may be a link that unpacks to far more than its size, of which no more is unpacked than is allowed', async () => {
    const bomb = packLink(Buffer.alloc(64 * 1024 * 1024, 0x20))
    const before = process.memoryUsage().arrayBuffers
    expect(await reasonOf(bomb)).toBe('The link unpacks to more than 1048576 bytes')
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024)
  })
  test.each([
    ['no base64', '#attestation=%%%', /no base64/],
    ['bytes that are not packed', '#attestation=AAAA', /cut off or damaged/],
    ['a packed text that is cut off', packLink(Buffer.from('[1,2,3]')).slice(0, -8), /cut off or damaged/],
    ['bytes that are no text', packLink(Buffer.from([0xff, 0xfe])), /no text/],
    ['no JSON', packLink(Buffer.from('hello')), /not valid JSON/],
    ['too few entries', packLink(Buffer.from('[1,2,3]')), /a list of 3 entries/],
    [
      'a version that does not exist',
      packLink(Buffer.from(JSON.stringify(Array(17).fill(3)))),
      /none of 0, 1 and 2/,
    ],
    ['nothing', '{"url":"https://easscan.org/"}', /#attestation= is missing/],
  ])('may be a link with %s', async (_name, text, reason) => {
    expect(await reasonOf(text)).toMatch(reason)
  })
})

interface BasEnvelope {
  readonly sig: {
    readonly uid: string
    readonly domain: Record<string, unknown>
    readonly message: Record<string, unknown>
    readonly signature: Record<string, unknown>
  }
  readonly signer: string
}

function packLink(content: Buffer): string {
  return `https://easscan.org/offchain/url/#attestation=${encodeURIComponent(deflateSync(content).toString('base64'))}`
}

/** The JSON with another value at a path; undefined takes the member away. */
function withMember(json: string, path: string, value: unknown): string {
  const root = JSON.parse(json) as Record<string, unknown>
  const names = path.split('.')
  const last = names.pop() ?? ''
  let at = root
  for (const name of names) at = at[name] as Record<string, unknown>
  at[last] = value
  return JSON.stringify(root)
}
