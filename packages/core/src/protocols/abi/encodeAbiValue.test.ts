import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeAbiParameters, parseAbiParameters as parseByViem, bytesToHex } from 'viem'
import { encodeAbiValues } from './encodeAbiValue.ts'
import { parseAbiParameters } from './parseAbiParameters.ts'

function encode(types: string, values: readonly unknown[]): string | null {
  const parameters = parseAbiParameters(types) ?? []
  const bytes = encodeAbiValues(
    parameters.map(({ type }) => type),
    values,
  )
  return bytes === null ? null : bytesToHex(bytes)
}

describe('encodeAbiValues', () => {
  test('encodes as viem does', () => {
    const types = 'uint64 a, int8 b, (string c, address[2] d, bytes e)[] f, bool[] g, bytes4 h, string[][] i'
    const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => bytesToHex(bytes))
    const bytes = fc.uint8Array({ maxLength: 70 }).map((some) => bytesToHex(some))
    const tuple = fc.record({ c: fc.string(), d: fc.tuple(address, address), e: bytes })
    const values = fc.tuple(
      fc.bigInt(0n, 2n ** 64n - 1n),
      fc.integer({ min: -128, max: 127 }),
      fc.array(tuple, { maxLength: 4 }),
      fc.array(fc.boolean()),
      fc.uint8Array({ minLength: 4, maxLength: 4 }).map((some) => bytesToHex(some)),
      fc.array(fc.array(fc.string())),
    )
    fc.assert(
      fc.property(values, (given) => {
        const asJson: unknown = given.map((value) => (typeof value === 'bigint' ? value.toString() : value))
        expect(encode(types, asJson as unknown[])).toBe(
          encodeAbiParameters(parseByViem(types), given as never),
        )
      }),
    )
  })

  test('takes a tuple as a list too', () => {
    expect(encode('(uint8 a, string b)', [[1, 'x']])).toBe(encode('(uint8 a, string b)', [{ a: 1, b: 'x' }]))
  })

  test.each([
    ['uint8', 256],
    ['uint8', -1],
    ['int8', 128],
    ['uint8', '0x1'],
    ['uint8', 1.5],
    ['bool', 'true'],
    ['address', '0x12'],
    ['bytes4', '0x1234'],
    ['bytes', '0x1'],
    ['string', 5],
    ['uint8[2]', [1]],
    ['uint8[]', {}],
    ['(uint8 a)', {}],
    ['(uint8 a)', [1, 2]],
    ['(uint8 a)', null],
  ])('has no encoding as %s of %j', (type, value) => {
    expect(encode(type, [value])).toBeNull()
  })
})
