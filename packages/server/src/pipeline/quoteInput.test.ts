import fc from 'fast-check'
import { expect, test } from 'vitest'
import { quoteInput } from './quoteInput.ts'

test('plain text is quoted as it is', () => {
  expect(quoteInput('1e3')).toBe("'1e3'")
  expect(quoteInput('愛')).toBe("'愛'")
  expect(quoteInput('')).toBe("''")
})

test('characters that could mislead a reader are written as code points', () => {
  expect(quoteInput('a\0b\x1b[2J\u202e\ud800')).toBe("'a\\u{0}b\\u{1b}[2J\\u{202e}\\u{d800}'")
})

test('long text is cut', () => {
  expect(quoteInput('x'.repeat(65))).toBe(`'${'x'.repeat(64)}…'`)
  expect(quoteInput('x'.repeat(64))).toBe(`'${'x'.repeat(64)}'`)
})

test('any input is quoted as short, well-formed text without control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
      const quoted = quoteInput(text)
      expect(quoted.length).toBeLessThan(64 * 10 + 4)
      expect(quoted.isWellFormed()).toBe(true)
      expect(quoted).not.toMatch(/\p{C}/u)
    }),
  )
})
