import { expect, expectTypeOf, test } from 'vitest'
import { readDecoded } from './decodedValues.ts'

const who = '0x0000000000000000000000000000000000000001'

test('reads every kind of value with its type', () => {
  const values = readDecoded(
    {
      decodedData: [
        { name: 'amount', type: 'uint256', value: '115792089237316195423570985008687907853' },
        { name: 'delta', type: 'int8', value: '-1' },
        { name: 'ok', type: 'bool', value: true },
        { name: 'who', type: 'address', value: who },
        { name: 'root', type: 'bytes32', value: '0x00' },
        { name: 'tags', type: 'string[]', value: ['a', 'b'] },
        { name: 'grid', type: 'uint8[2][]', value: [['1', '2']] },
      ],
    },
    'uint256 amount, int8 delta, bool ok, address who, bytes32 root, string[] tags, uint8[2][] grid',
  )
  expect(values).toEqual({
    amount: 115792089237316195423570985008687907853n,
    delta: -1n,
    ok: true,
    who,
    root: '0x00',
    tags: ['a', 'b'],
    grid: [[1n, 2n]],
  })
  expectTypeOf(values).toEqualTypeOf<{
    readonly amount: bigint
    readonly delta: bigint
    readonly ok: boolean
    readonly who: `0x${string}`
    readonly root: `0x${string}`
    readonly tags: readonly string[]
    readonly grid: readonly (readonly bigint[])[]
  }>()
})

test('reads tuples as objects, and arrays of tuples as lists of objects', () => {
  const people = [
    [
      { name: 'name', type: 'string', value: 'Ada' },
      { name: 'since', type: 'uint64', value: '1' },
    ],
  ]
  const values = readDecoded(
    {
      decodedData: [
        { name: 'people', type: '(string name, uint64 since)[]', value: people },
        {
          name: 'place',
          type: '(int32 lat,int32 lon)',
          value: [
            { name: 'lat', type: 'int32', value: '-5' },
            { name: 'lon', type: 'int32', value: '7' },
          ],
        },
      ],
    },
    '(string name,uint64 since)[] people, (int32 lat, int32 lon) place',
  )
  expect(values).toEqual({ people: [{ name: 'Ada', since: 1n }], place: { lat: -5n, lon: 7n } })
  expectTypeOf(values).toEqualTypeOf<{
    readonly people: readonly { readonly name: string; readonly since: bigint }[]
    readonly place: { readonly lat: bigint; readonly lon: bigint }
  }>()
})

test('reads an unnamed field by its place, and a field of any name', () => {
  const decodedData = [
    { name: '', type: 'uint8', value: '3' },
    { name: '__proto__', type: 'string', value: 'plain' },
  ]
  const values = readDecoded({ decodedData }, 'uint8, string __proto__')
  expect(values['0']).toBe(3n)
  expect(Object.entries(values)).toEqual([
    ['0', 3n],
    ['__proto__', 'plain'],
  ])
})

test('refuses a payload that was not decoded, and one of another schema', () => {
  expect(() => readDecoded({}, 'uint8 level')).toThrow("without include: 'decoded'")
  expect(() =>
    readDecoded({ decodedData: null, decodedDataError: 'the payload ends early' }, 'uint8 level'),
  ).toThrow('The payload cannot be decoded: the payload ends early.')
  const decodedData = [{ name: 'level', type: 'uint8', value: '3' }]
  expect(() => readDecoded({ decodedData }, 'uint8 grade')).toThrow('The payload holds "uint8 level"')
  expect(() => readDecoded({ decodedData }, '')).toThrow('and "" was asked for')
})
