import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeText, encodeText } from './textColumn.ts'

const text = fc.array(
  fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\0', '\u0001', '\ud800', '\udc00', '\\', '"')),
)

test('any text comes back from its column as it was, and is fit for PostgreSQL there', () => {
  fc.assert(
    fc.property(text, (parts) => {
      const encoded = encodeText(parts.join(''))
      expect(decodeText(encoded)).toBe(parts.join(''))
      expect(encoded).not.toContain('\0')
      expect(encoded.isWellFormed()).toBe(true)
    }),
    { verbose: 1 },
  )
})
