import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { expect, test } from 'vitest'
import { isTakenByEasSdk } from '@attestry/test/sdks/takenByEasSdk.ts'
import type { Hex } from '../../model/hex.ts'
import { createDecodedDataFormat } from './formatDecodedDataJson.ts'

const vectors = JSON.parse(
  readFileSync(new URL('testing/decodedDataVectors.json', import.meta.url), 'utf8'),
) as readonly { readonly schema: string; readonly data: Hex; readonly json: string }[]

test('payloads are printed byte for byte as the SDK of EAS 0.28.2 prints them', () => {
  expect(vectors.filter(({ json }) => json !== '').length).toBeGreaterThan(200)
  for (const { schema, data, json } of vectors) {
    // If SDK 0.28.2 fails at a schema that the newest SDK accepts, the program prints it all the same.
    if (json === '' && isTakenByEasSdk(schema)) continue
    expect(createDecodedDataFormat(schema)(data), `${JSON.stringify(schema)} ${data}`).toBe(json)
  }
})

test('a schema that only the newest SDK takes is printed in the same form', () => {
  const data = encodeAbiParameters(parseAbiParameters('uint8 a, string b'), [7, 'x']) as Hex
  expect(createDecodedDataFormat('uint8 a,\n\tstring b')(data)).toBe(
    createDecodedDataFormat('uint8 a, string b')(data),
  )
})

test('large integers, arrays and tuples within a tuple are printed, each under its own name', () => {
  const schema = '(uint256 amount, uint8[] scores, (bool ok, string why) result, uint8 last)[] votes'
  const value = [{ amount: 2n ** 64n, scores: [1, 2], result: { ok: true, why: '' }, last: 9 }]
  const data = encodeAbiParameters(parseAbiParameters(schema), [value]) as Hex
  const [field] = JSON.parse(createDecodedDataFormat(schema)(data)) as {
    readonly value: { readonly value: unknown }
  }[]
  expect(field?.value.value).toEqual([
    [
      { name: 'amount', type: 'uint256', value: { type: 'BigNumber', hex: '0x010000000000000000' } },
      { name: 'scores', type: 'uint8[]', value: [1, 2] },
      {
        name: 'result',
        type: 'tuple',
        value: [
          { name: 'ok', type: 'bool', value: true },
          { name: 'why', type: 'string', value: '' },
        ],
      },
      { name: 'last', type: 'uint8', value: 9 },
    ],
  ])
})

test('arrays that share their elements end in an empty text, not in an endless one', () => {
  const format = createDecodedDataFormat('uint8[][][][] a')
  // Every offset leads back to the word that counts the elements.
  const word = (number: number) => number.toString(16).padStart(64, '0')
  const data = `0x${word(32)}${Array.from({ length: 200 }, () => word(64)).join('')}` as Hex
  expect(format(data)).toBe('')
})

test('any schema and any payload give a text', () => {
  const text = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('(', ')', '[', ']', ',', ' ', 'uint8', 'tuple', 'a'))
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, fc.uint8Array({ maxLength: 320 }), (schema, bytes) => {
      const data = `0x${Buffer.from(bytes).toString('hex')}` as Hex
      expect(typeof createDecodedDataFormat(schema)(data)).toBe('string')
    }),
  )
  expect(createDecodedDataFormat('('.repeat(100_000))('0x' as Hex)).toBe('')
  expect(createDecodedDataFormat(`uint8${'[]'.repeat(10_000)} a`)('0x' as Hex)).toBe('')
})
