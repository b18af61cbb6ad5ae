import { expect, test } from 'vitest'
import { matchesEtag } from './matchesEtag.ts'

test.each([
  [undefined, false],
  ['', false],
  ['W/"abc"', true],
  ['"abc"', true],
  ['*', true],
  [' * ', true],
  ['"x", W/"abc" , "y"', true],
  ['"x","abcd"', false],
  ['abc', false],
  ['"a,b", "abc"', true],
  ['"', false],
])('If-None-Match %j matches W/"abc": %s', (header, matches) => {
  expect(matchesEtag(header, 'W/"abc"')).toBe(matches)
})
