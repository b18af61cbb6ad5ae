import fc from 'fast-check'
import { decodeAbiParameters, encodeAbiParameters, getAddress, padHex, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { parseAddress, parseHex, type Hex } from '../../model/hex.ts'
import { decodeRecipient } from './decodeRecipient.ts'

const lower = '0xa6e7f8a9b0c1d2e3f4051627384950a1b2c3d4e5'
const address = { kind: 'address', address: lower }

describe('a recipient', () => {
  test('is the address that abi.encode(address) holds', () => {
    expect(decodeRecipient(padHex(lower) as Hex)).toEqual(address)
    expect(decodeRecipient(padHex('0x') as Hex)).toEqual({
      kind: 'address',
      address: padHex('0x', { size: 20 }),
    })
  })

  test.each([
    ['lower case', lower],
    ['its checksum', getAddress(lower)],
    ['a wrong checksum', lower.replace('a6e7', 'A6e7')],
    ['upper case', `0x${lower.slice(2).toUpperCase()}`],
    ['an upper-case prefix', lower.toUpperCase()],
  ])('is the address that abi.encode(string) spells in %s', (_, text) => {
    expect(decodeRecipient(encodeString(text))).toEqual(address)
  })

  test.each([
    '',
    'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK',
    '0x1234',
    ` ${lower}`,
    `${lower}\n`,
    lower.slice(2),
    'a\0b',
    '\uFEFFmark',
    'ünï😀',
    'x'.repeat(32),
    'x'.repeat(100_000),
  ])('is the text that abi.encode(string) holds as it is: %j', (text) => {
    expect(decodeRecipient(encodeString(text))).toEqual({ kind: 'text', text })
  })

  test('is an address where it is exactly 20 bytes', () => {
    expect(decodeRecipient(hex(lower))).toEqual(address)
  })

  test.each([
    ['no bytes', '0x'],
    ['one byte', '0x00'],
    ['19 bytes', lower.slice(0, -2)],
    ['21 bytes', `${lower}00`],
    ['31 bytes', padHex(lower, { size: 31 })],
    ['33 bytes', padHex(lower, { size: 33 })],
    ['a public key', `0x${'ab'.repeat(32)}`],
    ['an address with dirty high bytes', `0x000000000000000000000001${lower.slice(2)}`],
    ['an address padded on the right', padHex(lower, { dir: 'right' })],
    ['two words of zeros', `0x${'0'.repeat(128)}`],
    ['two encoded addresses', `0x${padHex(lower).slice(2).repeat(2)}`],
    ['a string behind another offset', joinWords(0x40, 0, 1, padHex('0x61', { dir: 'right' }))],
    ['a string with dirty padding', joinWords(0x20, 1, padHex('0x610001', { dir: 'right' }))],
    ['a string whose padding is missing', `${joinWords(0x20, 1)}61`],
    ['a string with a word behind it', joinWords(0x20, 1, padHex('0x61', { dir: 'right' }), 0)],
    ['an empty string with a word behind it', joinWords(0x20, 0, 0)],
    ['a string that is longer than the bytes', joinWords(0x20, 33, padHex('0x61', { dir: 'right' }))],
    ['a string of hostile length', joinWords(0x20, `0x${'f'.repeat(64)}`)],
    ['a string of a length beyond 2^32', joinWords(0x20, 2 ** 32, 0)],
    ['a string that is no UTF-8', encodeAbiParameters([{ type: 'bytes' }], ['0xff61'])],
    ['abi.encode(bytes) of an address', encodeAbiParameters([{ type: 'bytes' }], [lower])],
  ])('stays raw where it is %s', (_, text) => {
    expect(decodeRecipient(hex(text))).toEqual({ kind: 'bytes', bytes: text })
  })

  test('is text exactly where encoding what viem reads gives the bytes again', () => {
    const word = fc.oneof(
      fc.constantFrom(0, 1, 31, 32, 33, 64).map((value) => padHex(toHex(value)).slice(2)),
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes).slice(2)),
      fc.string({ maxLength: 10 }).map((text) => padHex(toHex(text), { dir: 'right' }).slice(0, 66).slice(2)),
    )
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), fc.nat(70), (words, cut) => {
        const bytes = hex(`0x${words.join('').slice(0, words.length * 64 - (cut > 64 ? (cut - 64) * 2 : 0))}`)
        const recipient = decodeRecipient(bytes)
        const text = readString(bytes)
        const isExact = text !== null && encodeString(text) === bytes
        const isAddressWord = bytes.length === 66 && bytes.startsWith(`0x${'0'.repeat(24)}`)
        const textAddress = parseAddress(text ?? '')
        const byText =
          textAddress === null ? { kind: 'text', text } : { kind: 'address', address: textAddress }
        const byBytes =
          isAddressWord || bytes.length === 42
            ? { kind: 'address', address: `0x${bytes.slice(-40)}` }
            : { kind: 'bytes', bytes }
        expect(recipient).toEqual(isExact ? byText : byBytes)
      }),
      { numRuns: 1000 },
    )
  })
})

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hexadecimal`)
  return parsed
}

function encodeString(text: string): Hex {
  return hex(encodeAbiParameters([{ type: 'string' }], [text]))
}

function readString(bytes: Hex): string | null {
  try {
    return decodeAbiParameters([{ type: 'string' }], bytes)[0]
  } catch {
    return null
  }
}

function joinWords(...words: (number | string)[]): string {
  return `0x${words.map((word) => (typeof word === 'number' ? padHex(toHex(word)) : word).slice(2)).join('')}`
}
