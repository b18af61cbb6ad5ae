import fc from 'fast-check'
import { encodeAbiParameters } from 'viem'
import { describe, expect, test } from 'vitest'
import type { Hex } from '../../model/hex.ts'
import { decodePayload } from '../decodePayload.ts'
import { parseSchemaText } from './parseSchemaText.ts'

const empty = { name: '', description: '', fields: [] }

describe('the text of a schema', () => {
  test('as the SDK writes it gives name, description and fields', () => {
    const text = JSON.stringify({
      name: 'Event ticket',
      description: 'Who was there',
      data: [
        { name: 'holder', type: 'address' },
        { name: 'photo', type: 'string', storage: 'arweave' },
      ],
    })
    expect(parseSchemaText(text)).toEqual({
      name: 'Event ticket',
      description: 'Who was there',
      fields: [
        { name: 'holder', type: 'address' },
        { name: 'photo', type: 'string' },
      ],
    })
  })

  test('says by which types payloads hold pointers to values that are stored elsewhere', () => {
    const text = JSON.stringify({
      name: 'Report',
      description: '',
      data: [
        { name: 'scores', type: 'uint256[]', storage: 'arweave' },
        { name: 'pages', type: 'tuple[]', components: [{ name: 'text', type: 'string' }], storage: 'ipfs' },
        { name: 'level', type: 'uint8' },
        { name: 'own', type: 'uint8', storage: 'here' },
      ],
    })
    const definition = parseSchemaText(text)
    expect(definition.fields.map(({ type }) => type)).toEqual([
      'uint256[]',
      '(string text)[]',
      'uint8',
      'uint8',
    ])
    const { payloadFields = [] } = definition
    expect(payloadFields.map(({ type }) => type)).toEqual(['string', 'string', 'uint8', 'uint8'])
    // As sp-sdk encodes it.
    const data = encodeAbiParameters(
      [{ type: 'tuple', components: payloadFields.map(({ name, type }) => ({ name, type })) }],
      [{ scores: 'ar-id', pages: 'bafy-id', level: 3, own: 4 }],
    ) as Hex
    expect(decodePayload(payloadFields, data, 'ONCHAIN', 'wrappedOrFlat')).toMatchObject({
      kind: 'decoded',
      values: [{ value: 'ar-id' }, { value: 'bafy-id' }, { value: '3' }, { value: '4' }],
    })
  })

  test.each([
    ['nothing', ''],
    ['free text', 'uint8 score, string comment'],
    ['a content id', 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'],
    ['a JSON string', '"name"'],
    ['a JSON list', '[{"name":"a","type":"b"}]'],
    ['a JSON null', 'null'],
    ['a JSON number', '12'],
    ['an unfinished object', '{"name":"a"'],
    ['an object behind a byte order mark', '\uFEFF{"name":"a"}'],
    ['an empty object', '{}'],
    ['keys that only a prototype has', '{"__proto__":{"name":"a","description":"b","data":[]}}'],
  ])('is an empty definition where it is %s', (_, text) => {
    expect(parseSchemaText(text)).toEqual(empty)
  })

  test('gives what it has where it is partly usual', () => {
    expect(parseSchemaText('{"name":7,"description":"d","data":{"name":"a","type":"b"}}')).toEqual({
      name: '',
      description: 'd',
      fields: [],
    })
    expect(parseSchemaText('{"name":"n","description":["d"],"data":null}')).toEqual({ ...empty, name: 'n' })
  })

  test('leaves out items without a string name or without a type', () => {
    const data = '[1,null,"a",[],{"name":"a"},{"type":"b"},{"name":1,"type":"b"},{"name":"a","type":null}'
    expect(parseSchemaText(`{"data":${data},{"name":"","type":""}]}`).fields).toEqual([
      { name: '', type: '' },
    ])
  })

  test('decodes what the SDK encodes by tuples with components', () => {
    const members = [
      { name: 'city', type: 'string' },
      {
        name: 'levels',
        type: 'tuple[2][]',
        components: [{ name: 'level', type: 'uint8' }, { type: 'bool' }],
      },
    ]
    const data = [
      { name: 'place', type: 'tuple', components: members },
      { name: 'seat', type: 'uint16' },
    ]
    const { fields } = parseSchemaText(JSON.stringify({ name: 'n', data }))
    expect(fields).toEqual([
      { name: 'place', type: '(string city,(uint8 level,bool)[2][] levels)' },
      { name: 'seat', type: 'uint16' },
    ])
    // The SDK gives viem the schema's data.
    const encoded = encodeAbiParameters(data, [
      {
        city: 'Kyiv',
        levels: [
          [
            [1, true],
            [2, false],
          ],
        ],
      },
      7,
    ])
    expect(decodePayload(fields, encoded as Hex, 'ONCHAIN', 'wrappedOrFlat')).toMatchObject({
      kind: 'decoded',
      values: [
        { name: 'place', value: [{ name: 'city', value: 'Kyiv' }, { name: 'levels' }] },
        { value: '7' },
      ],
    })
  })

  test.each([
    ['without components', { type: 'tuple' }],
    ['with no component', { type: 'tuple', components: [] }],
    ['with a component that is none', { type: 'tuple', components: [7] }],
    ['with a name that no type can hold', { type: 'tuple', components: [{ name: 'a b', type: 'bool' }] }],
    ['that is no array of tuples', { type: 'tuple[x]', components: [{ name: 'a', type: 'bool' }] }],
  ])('leaves a tuple %s as it is', (_words, item) => {
    const text = JSON.stringify({ data: [{ name: 'p', ...item }] })
    expect(parseSchemaText(text).fields).toEqual([{ name: 'p', type: item.type }])
  })

  test('turns a type that is no string into its JSON text', () => {
    const type = [{ name: 'x', type: 'uint8' }, { 1: [], é: { '"': '\n' } }, true, 1.5, null, {}]
    expect(
      parseSchemaText(
        JSON.stringify({
          data: [
            { name: 'a', type },
            { name: 'b', type: 8 },
          ],
        }),
      ).fields,
    ).toEqual([
      { name: 'a', type: JSON.stringify(type) },
      { name: 'b', type: '8' },
    ])
  })

  test('writes any nested type as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify({ data: [{ name: 'a', type: [value] }] })
        expect(parseSchemaText(text).fields).toEqual([{ name: 'a', type: JSON.stringify([value]) }])
      }),
    )
  })

  test('takes the last of duplicate keys', () => {
    expect(parseSchemaText('{"name":"a","name":"b","data":[{"name":"x","type":"y","type":"z"}]}')).toEqual({
      name: 'b',
      description: '',
      fields: [{ name: 'x', type: 'z' }],
    })
  })

  test('keeps NUL, and replaces unpaired surrogates', () => {
    expect(
      parseSchemaText(
        '{"name":"a\\u0000\\ud800b","description":"\\udc00","data":[{"name":"\\ud800","type":"\\udfff"}]}',
      ),
    ).toEqual({ name: 'a\0\ufffdb', description: '\ufffd', fields: [{ name: '\ufffd', type: '\ufffd' }] })
  })

  test('may be huge or nest deeper than the call stack reaches', () => {
    // V8 falls back to a recursive serialiser where keys are numbers.
    const type = `${'{"0":['.repeat(200_000)}${']}'.repeat(200_000)}`
    expect(parseSchemaText(`{"data":[{"name":"deep","type":${type}}]}`).fields[0]?.type === type).toBe(true)
    const items = new Array(100_000).fill('{"name":"a","type":"b"}').join()
    expect(parseSchemaText(`{"data":[${items}]}`).fields).toHaveLength(100_000)
  })

  test('never makes the parser throw', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), (text) => {
        expect(() => parseSchemaText(text)).not.toThrow()
      }),
    )
  })
})
