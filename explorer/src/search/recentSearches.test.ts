import { expect, test } from 'vitest'
import { parseRecentSearches, withRecentSearch } from './recentSearches.ts'

test('a repeated search moves to the front, and the oldest is dropped', () => {
  expect(withRecentSearch(['a', 'b', 'c'], ' b ')).toEqual(['b', 'a', 'c'])
  expect(withRecentSearch(['1', '2', '3', '4', '5', '6'], '7')).toEqual(['7', '1', '2', '3', '4', '5'])
  expect(withRecentSearch(['a'], '  ')).toEqual(['a'])
})

test.each([null, 'no JSON', '{}', '[1, null]'])('storage that holds %s is none', (stored) => {
  expect(parseRecentSearches(stored)).toEqual([])
})
