import fc from 'fast-check'
import { expect, test } from 'vitest'
import { matchesPattern, parsePattern, plainText } from './textPattern.ts'

test.each([
  ['a%c', 'abbc', true],
  ['a%c', 'ac', true],
  ['a_c', 'abc', true],
  ['a_c', 'ac', false],
  ['%b%', 'abc', true],
  ['a\\%c', 'a%c', true],
  ['a\\%c', 'abc', false],
  ['a\\\\', 'a\\', true],
  ['a%a', 'a', false],
  ['', '', true],
  ['', 'a', false],
  ['%', '', true],
  ['%_', '', false],
  ['%aab', 'aaab', true],
  ['a_b', 'a🙂b', true],
  ['a__b', 'a🙂b', false],
  ['_', '🙂', true],
  ['__', '🙂', false],
  ['_%', '🙂', true],
  ['%_', '🙂', true],
  ['%__', '🙂', false],
  ['%a_', 'aa🙂', true],
  ['%_🙂%', '🙂🙂', true],
  ['\\🙂_', '🙂🙂', true],
  ['%_b%_', '🙂b🙂', true],
])('%s on %s: %s', (pattern, text, expected) => {
  expect(matchesPattern(text, parsePattern(pattern))).toBe(expected)
})

test('matches what the same pattern matches as a regular expression', () => {
  const characters = fc
    .array(fc.constantFrom('a', '🙂', '%', '_'), { maxLength: 8 })
    .map((parts) => parts.join(''))
  const text = fc
    .array(fc.constantFrom('a', '🙂', '%', '_'), { maxLength: 10 })
    .map((parts) => parts.join(''))
  fc.assert(
    fc.property(characters, text, (pattern, given) => {
      const expression = pattern.replaceAll('%', '.*').replaceAll('_', '.')
      expect(matchesPattern(given, parsePattern(pattern))).toBe(
        new RegExp(`^${expression}$`, 'u').test(given),
      )
    }),
  )
})

test('finds a pattern that matches only one text', () => {
  expect(plainText(parsePattern('0x\\_a'))).toBe('0x_a')
  expect(plainText(parsePattern('0x_'))).toBeNull()
})
