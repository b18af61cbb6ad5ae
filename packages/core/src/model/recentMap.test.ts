import { expect, test } from 'vitest'
import { createRecentMap, rememberRecent } from './recentMap.ts'

test('a full map keeps entries in use and drops the others', () => {
  const map = createRecentMap<number, string>(8)
  map.set(0, 'asked for')
  for (let key = 1; key <= 100; key++) {
    map.set(key, String(key))
    expect(map.get(0)).toBe('asked for')
    expect(map.get(key)).toBe(String(key))
  }
  expect([...Array(101).keys()].filter((key) => map.get(key) !== undefined).length).toBeLessThanOrEqual(8)
  expect(map.get(1)).toBeUndefined()
})

test('a value that is set again is the one that is found', () => {
  const map = createRecentMap<string, number>(4)
  map.set('a', 1)
  map.set('b', 2)
  map.set('c', 3)
  map.set('a', 4)
  expect(map.get('a')).toBe(4)
  map.clear()
  expect(map.get('a')).toBeUndefined()
})

test('a bound on weight counts each entry by its weight, replaced and deleted ones no longer', () => {
  const map = createRecentMap<string, { readonly bytes: number }>(100, ({ bytes }) => bytes)
  map.set('a', { bytes: 20 })
  map.set('a', { bytes: 30 })
  map.set('b', { bytes: 10 })
  expect(map.weight).toBe(40)
  map.delete('a')
  expect([map.weight, map.has('a'), map.get('a')]).toEqual([10, false, undefined])
  for (let key = 0; key < 50; key++) {
    map.set(String(key), { bytes: 25 })
    expect(map.weight).toBeLessThanOrEqual(100)
  }
  expect(map.has('b')).toBe(false)
})

test('looking whether an entry is there does not keep it', () => {
  const map = createRecentMap<number, string>(4)
  map.set(0, 'looked at')
  for (let key = 1; key <= 4; key++) {
    map.has(0)
    map.set(key, '')
  }
  expect(map.has(0)).toBe(false)
})

test('a remembered function computes each recent argument once', () => {
  const computed: number[] = []
  const double = rememberRecent(4, (value: number) => {
    computed.push(value)
    return value * 2
  })
  expect([double(1), double(2), double(1)]).toEqual([2, 4, 2])
  expect(computed).toEqual([1, 2])
  for (let value = 3; value <= 10; value++) double(value)
  expect(double(1)).toBe(2)
  expect(computed.filter((value) => value === 1)).toHaveLength(2)
})
