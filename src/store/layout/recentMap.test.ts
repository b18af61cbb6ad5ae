import { expect, test } from 'vitest'
import { createRecentMap } from './recentMap.ts'

test('a full map keeps what is asked for again and again, and forgets what is not', () => {
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
