import fc from 'fast-check'
import { encodeAbiParameters, parseAbiParameters, toHex } from 'viem'
import { describe, expect, test } from 'vitest'
import { hostilePayload } from '@attestry/test/abi/hostilePayload.ts'
import { encodedParameters } from '@attestry/test/abi/typedValues.ts'
import { parseHex, type Hex } from '../model/hex.ts'
import type { DataLocation, SchemaField } from '../model/records.ts'
import { decodePayload } from './decodePayload.ts'
import type { PayloadForm } from './protocolAdapter.ts'

const fields: readonly SchemaField[] = [
  { name: 'holder', type: 'address' },
  { name: 'seat', type: 'uint256' },
  { name: 'note', type: 'string' },
]
const holder = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const flat = hex(
  encodeAbiParameters(parseAbiParameters('address, uint256, string'), [holder, 2n ** 256n - 1n, 'row é']),
)
const wrapped = hex(
  encodeAbiParameters(parseAbiParameters('(address, uint256, string)'), [[holder, 2n ** 256n - 1n, 'row é']]),
)
const values = [
  { name: 'holder', type: 'address', value: holder },
  { name: 'seat', type: 'uint256', value: (2n ** 256n - 1n).toString() },
  { name: 'note', type: 'string', value: 'row é' },
]

const both = 'wrappedOrFlat'

describe('a payload kept on chain', () => {
  test.each([
    ['flat', flat],
    ['wrapped in a tuple', wrapped],
  ])('is read by the fields of its schema: %s', (_, data) => {
    expect(decodePayload(fields, data, 'ONCHAIN', both)).toEqual({ kind: 'decoded', values })
  })

  test('is the same flat or wrapped where every field is static', () => {
    const data = hex(encodeAbiParameters(parseAbiParameters('bool, int8'), [true, -1]))
    expect(decodePayload(fieldsOf('bool', 'int8'), data, 'ONCHAIN', both)).toMatchObject({
      values: [{ value: true }, { value: '-1' }],
    })
  })

  test('shows tuples, arrays and bytes nested', () => {
    const data = hex(
      encodeAbiParameters(parseAbiParameters('(uint8 a, string b)[], bytes4[2], bytes'), [
        [
          { a: 1, b: 'x' },
          { a: 2, b: '' },
        ],
        ['0x01020304', '0x00000000'],
        '0xABcd',
      ]),
    )
    expect(
      decodePayload(fieldsOf('(uint8 a, string)[]', 'bytes4[2]', 'bytes'), data, 'ONCHAIN', both),
    ).toMatchObject({
      values: [
        {
          name: 'f0',
          type: '(uint8 a, string)[]',
          value: [
            [
              { name: 'a', type: 'uint8', value: '1' },
              { name: '', type: 'string', value: 'x' },
            ],
            [
              { name: 'a', type: 'uint8', value: '2' },
              { name: '', type: 'string', value: '' },
            ],
          ],
        },
        { value: ['0x01020304', '0x00000000'] },
        { value: '0xabcd' },
      ],
    })
  })

  test('may have a nested list of fields, which is a tuple', () => {
    const nested = [
      { name: 'x', type: 'uint8' },
      { name: 'y', type: [{ name: 'z', type: 'string' }], storage: 'arweave' },
    ]
    const data = hex(
      encodeAbiParameters(parseAbiParameters('(uint8 x, (string z) y)'), [{ x: 7, y: { z: 'deep' } }]),
    )
    expect(decodePayload([{ name: 'n', type: JSON.stringify(nested) }], data, 'ONCHAIN', both)).toEqual({
      kind: 'decoded',
      values: [
        {
          name: 'n',
          type: JSON.stringify(nested),
          value: [
            { name: 'x', type: 'uint8', value: '7' },
            { name: 'y', type: 'tuple', value: [{ name: 'z', type: 'string', value: 'deep' }] },
          ],
        },
      ],
    })
  })

  test('is nothing where the schema has no fields, and undecodable where there is something', () => {
    expect(decodePayload([], hex('0x'), 'ONCHAIN', both)).toEqual({ kind: 'decoded', values: [] })
    expect(decodePayload([], flat, 'ONCHAIN', both)).toEqual({
      kind: 'undecodable',
      reason: 'the schema defines no fields',
    })
  })

  test.each([
    'number',
    'uint7',
    '',
    'uint256 a',
    'uint256,bool',
    '[]',
    '[1]',
    '[{"name":"a"}]',
    '[',
    '[{"name":1,"type":"bool"}]',
  ])('is undecodable where a type is none of Solidity: %j', (type) => {
    expect(
      decodePayload(
        [
          { name: 'ok', type: 'bool' },
          { name: 'n', type },
        ],
        flat,
        'ONCHAIN',
        both,
      ),
    ).toEqual({
      kind: 'undecodable',
      reason: "the type of the schema's field 2 is none of Solidity",
    })
  })

  test.each(['', '1', 'ff'])('is undecodable where it is no encoding of the fields: %s', (rest) => {
    expect(decodePayload(fields, hex(`0x${rest.padStart(64, '0')}`), 'ONCHAIN', both)).toEqual({
      kind: 'undecodable',
      reason: expect.stringMatching(/^the payload is no encoding of its fields: byte \d+ /),
    })
  })

  test('is undecodable where it is a content id, as fields kept elsewhere have it', () => {
    const data = hex(encodeAbiParameters([{ type: 'string' }], ['bafybeigdyrzt5sfp7udm7hu76uh7y26nf3']))
    expect(decodePayload(fieldsOf('uint256'), data, 'ONCHAIN', both).kind).toBe('undecodable')
  })

  test('has the meaning that its protocol gives it where it has two', () => {
    const data = hex(encodeAbiParameters([{ type: 'bytes' }], [`0x${'00'.repeat(32)}`]))
    const meaning = (form: PayloadForm): unknown => decodePayload(fieldsOf('bytes'), data, 'ONCHAIN', form)
    expect(meaning('flat')).toMatchObject({ values: [{ value: `0x${'00'.repeat(32)}` }] })
    expect(meaning('wrappedOrFlat')).toMatchObject({ values: [{ value: '0x' }] })
  })

  test('is not read as wrapped where its protocol knows no such form', () => {
    expect(decodePayload(fields, wrapped, 'ONCHAIN', 'flat').kind).toBe('undecodable')
  })

  test('is not decoded beyond 256 KiB', () => {
    const dataOf = (size: number): Hex =>
      hex(encodeAbiParameters([{ type: 'bytes' }], [toHex(new Uint8Array(size))]))
    expect(decodePayload(fieldsOf('bytes'), dataOf(256 * 1024 - 64), 'ONCHAIN', both).kind).toBe('decoded')
    expect(decodePayload(fieldsOf('bytes'), dataOf(256 * 1024 - 63), 'ONCHAIN', both)).toEqual({
      kind: 'undecodable',
      reason: 'the payload has 262176 bytes, and no more than 262144 are decoded',
    })
  })

  test('of any types is read flat and wrapped', () => {
    fc.assert(
      fc.property(encodedParameters, ({ parameters, values: samples, encoded }) => {
        const list = parameters.map(({ name, typeText }) => ({ name, type: typeText }))
        const expected = {
          kind: 'decoded',
          values: list.map((field, index) => ({ ...field, value: samples[index]?.json })),
        }
        expect(decodePayload(list, encoded, 'ONCHAIN', 'flat')).toEqual(expected)
        fc.pre(list.length > 0)
        const components = parameters.map(({ viem }) => viem)
        const tuple = encodeAbiParameters([{ type: 'tuple', components }], [samples.map(({ viem }) => viem)])
        expect(decodePayload(list, hex(tuple), 'ONCHAIN', both)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })
})

describe('a payload kept elsewhere', () => {
  test.each(['ARWEAVE', 'IPFS', 'CUSTOM'] as const)('(%s) is a content id', (location) => {
    const data = hex(encodeAbiParameters([{ type: 'string' }], ['Qm123']))
    expect(decodePayload(fields, data, location, both)).toEqual({
      kind: 'decoded',
      values: [{ name: 'contentId', type: 'string', value: 'Qm123' }],
    })
    expect(decodePayload(fields, flat, location, both).kind).toBe('undecodable')
  })
})

describe('whatever fields and payload hold', () => {
  test('nothing is thrown, and JSON can carry the answer', () => {
    const fieldType = fc.oneof(
      fc.constantFrom(
        'bool',
        'string',
        'bytes[]',
        '(string a, uint8[2])[]',
        '[{"name":"a","type":"string"}]',
        'address',
      ),
      fc.string(),
      fc.json().map((text) => `[${text}]`),
    )
    const anyFields = fc.array(fc.record({ name: fc.string(), type: fieldType }), { maxLength: 4 })
    const location = fc.constantFrom<DataLocation>('ONCHAIN', 'IPFS')
    fc.assert(
      fc.property(anyFields, hostilePayload(fc.constantFrom(flat, wrapped)), location, (list, data, at) => {
        const decoded = decodePayload(list, data, at, both)
        expect(JSON.parse(JSON.stringify(decoded))).toEqual(decoded)
      }),
      { numRuns: 2000 },
    )
  })

  test('types that nest too deep are undecodable, and deep nesting in unknown members is ignored', () => {
    for (const type of [
      '['.repeat(100_000),
      '[{"name":"a","type":'.repeat(5000),
      `${'[{"name":"a","type":'.repeat(70)}"bool"${'}]'.repeat(70)}`,
    ]) {
      expect(decodePayload([{ name: 'n', type }], flat, 'ONCHAIN', both).kind).toBe('undecodable')
    }
    const junk = `[{"name":"a","type":"bool","more":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`
    expect(
      decodePayload([{ name: 'n', type: junk }], hex(`0x${'1'.padStart(64, '0')}`), 'ONCHAIN', both).kind,
    ).toBe('decoded')
  })
})

function fieldsOf(...types: readonly string[]): readonly SchemaField[] {
  return types.map((type, index) => ({ name: `f${index}`, type }))
}

function hex(text: string): Hex {
  const parsed = parseHex(text)
  if (parsed === null) throw new Error(`${text} is no hex`)
  return parsed
}
