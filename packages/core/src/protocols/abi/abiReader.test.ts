import fc from 'fast-check'
import { decodeAbiParameters, encodeAbiParameters, padHex, parseAbiParameters, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { hostilePayload } from '@attestry/test/abi/hostilePayload.ts'
import { parseHex, type Hex } from '../../model/hex.ts'
import { AbiReader } from './abiReader.ts'

// The encodings of `string` and `bytes` are the same, and viem reads the latter without loss.
const parameters = parseAbiParameters('uint64, bytes, bool, bytes[], address, uint8, bytes')

const bytes = fc.uint8Array({ maxLength: 70 }).map((value) => toHex(value))
const payload = fc
  .tuple(
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    bytes,
    fc.boolean(),
    fc.array(bytes, { maxLength: 4 }),
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((value) => toHex(value)),
    fc.nat(255),
    bytes,
  )
  .map((values) => hex(encodeAbiParameters(parameters, values)))

describe('values that viem encodes', () => {
  test('are read back', () => {
    fc.assert(
      fc.property(payload, (encoded) => {
        expect(readValues(encoded)).toEqual(viemValues(encoded))
      }),
      { numRuns: 300 },
    )
  })

  test('are read exactly where viem, encoding what it reads, gives the same bytes', () => {
    const counts = { read: 0, refused: 0 }
    fc.assert(
      fc.property(hostilePayload(payload), (encoded) => {
        const values = readValues(encoded)
        const expected = viemValues(encoded)
        const isCanonical = expected !== null && encodesTo(expected, encoded)
        expect(values).toEqual(isCanonical ? expected : null)
        counts[values === null ? 'refused' : 'read'] += 1
      }),
      { numRuns: 3000 },
    )
    // Neither half of the property may be empty.
    expect(Math.min(counts.read, counts.refused)).toBeGreaterThan(300)
  })
})

describe('a word', () => {
  test.each([0n, 1n, 2n ** 52n - 1n, 2n ** 52n, 2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n])(
    'holds the uint64 %s exactly',
    (value) => {
      const reader = new AbiReader(words(value))
      expect(reader.uint64()).toBe(value)
      expect(reader.finish()).toBeNull()
    },
  )

  test('that is outside its type is reported with its byte offset', () => {
    const problemOf = (word: bigint, read: (reader: AbiReader) => unknown): string | null => {
      const reader = new AbiReader(words(0n, word))
      reader.uint64()
      read(reader)
      return reader.finish()
    }
    expect(problemOf(2n ** 64n, (reader) => reader.uint64())).toBe('byte 32 is no uint64')
    expect(problemOf(2n, (reader) => reader.bool())).toBe('byte 32 is no bool')
    expect(problemOf(2n ** 255n + 1n, (reader) => reader.bool())).toBe('byte 32 is no bool')
    expect(problemOf(2n ** 160n, (reader) => reader.address())).toBe('byte 32 is no address')
    expect(problemOf(4n, (reader) => reader.uint8(3))).toBe('byte 32 is not between 0 and 3')
    expect(problemOf(256n, (reader) => reader.uint8(255))).toBe('byte 32 is not between 0 and 255')
    expect(problemOf(2n ** 32n, (reader) => reader.offset(0))).toBe('byte 32 is no offset')
    expect(problemOf(31n, (reader) => reader.tail(reader.offset(0)))).toBe(
      'byte 64 should begin a value that is said to stand at byte 31',
    )
    expect(problemOf(0n, () => undefined)).toBe('byte 32 should be the end')
  })
})

describe('a hostile length', () => {
  test.each([1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 53n, 2n ** 256n - 1n])(
    'of %s allocates nothing',
    (length) => {
      for (const read of [
        (reader: AbiReader): unknown => reader.bytes(),
        (reader: AbiReader): unknown => reader.string(),
        (reader: AbiReader): unknown => reader.bytesArray().join(''),
      ]) {
        const reader = new AbiReader(words(length))
        expect(['', '0x']).toContain(read(reader))
        expect(reader.problem).toMatch(/^byte 0 /)
      }
    },
  )
})

describe('a problem', () => {
  test('stays the first one, and every later read is empty', () => {
    const reader = new AbiReader(words(2n, 5n, 32n, 1n, 0n))
    expect(reader.bool()).toBe(false)
    expect(reader.uint64()).toBe(0n)
    expect(reader.uint8(255)).toBe(0)
    expect(reader.bytes()).toBe('0x')
    expect(reader.string()).toBe('')
    expect(reader.bytesArray()).toEqual([])
    expect(reader.finish()).toBe('byte 0 is no bool')
  })

  test('is found in no bytes and in parts of a word', () => {
    for (const text of ['0x', '0x00', `0x${'00'.repeat(31)}`]) {
      const reader = new AbiReader(hex(text))
      reader.uint64()
      expect(reader.finish()).toBe('byte 0 should begin another word')
    }
  })
})

describe('a string', () => {
  test('is any text as it is, NUL and byte order mark included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readString(encodeAbiParameters([{ type: 'string' }], [text]))).toBe(text.toWellFormed())
      }),
    )
    expect(readString(encodeAbiParameters([{ type: 'string' }], ['\uFEFFa\0b\0']))).toBe('\uFEFFa\0b\0')
  })

  test('has U+FFFD for invalid UTF-8, as in the Encoding Standard', () => {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const nearUtf8 = fc.array(
      fc.constantFrom(0x61, 0x80, 0xbf, 0xc3, 0xe2, 0x82, 0xed, 0xa0, 0xf0, 0x9f, 0xff),
    )
    fc.assert(
      fc.property(nearUtf8, (codes) => {
        const content = Uint8Array.from(codes)
        expect(readString(encodeAbiParameters([{ type: 'bytes' }], [toHex(content)]))).toBe(
          decoder.decode(content),
        )
      }),
    )
    expect(readString(encodeAbiParameters([{ type: 'bytes' }], ['0x61ff62']))).toBe('a\ufffdb')
  })
})

type Values = ReturnType<typeof decodeAbiParameters<typeof parameters>>

/** The values, or null if the reader finds a problem. */
function readValues(encoded: Hex): unknown {
  const reader = new AbiReader(encoded)
  const first = reader.uint64()
  const bytesTail = reader.offset(0)
  const flag = reader.bool()
  const listTail = reader.offset(0)
  const account = reader.address()
  const small = reader.uint8(255)
  const lastTail = reader.offset(0)
  reader.tail(bytesTail)
  const content = reader.bytes()
  reader.tail(listTail)
  const list = reader.bytesArray()
  reader.tail(lastTail)
  const last = reader.bytes()
  return reader.finish() === null ? [first, content, flag, list, account, small, last] : null
}

function viemValues(encoded: Hex): Values | null {
  try {
    const [first, content, flag, list, account, small, last] = decodeAbiParameters(parameters, encoded)
    return [first, content, flag, list, hex(account), small, last]
  } catch {
    return null
  }
}

/** viem refuses to encode a value outside of its type's range, but decodes one without an error. */
function encodesTo(values: Values, encoded: Hex): boolean {
  try {
    return encodeAbiParameters(parameters, values) === encoded
  } catch {
    return false
  }
}

function readString(encoded: string): string {
  const reader = new AbiReader(hex(encoded))
  reader.tail(reader.offset(0))
  const text = reader.string()
  expect(reader.finish()).toBeNull()
  return text
}

function words(...values: bigint[]): Hex {
  return hex(`0x${values.map((value) => padHex(toHex(value)).slice(2)).join('')}`)
}

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hexadecimal`)
  return parsed
}
