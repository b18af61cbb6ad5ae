import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatRowCursor, parseRowCursor } from './rowCursor.ts'

describe('a cursor', () => {
  const place = fc.record({ timestamp: fc.maxSafeNat(), chainId: fc.maxSafeNat(), position: fc.maxSafeNat() })

  test('gives back the place that it was made of, and needs no escaping', () => {
    fc.assert(
      fc.property(place, (original) => {
        const text = formatRowCursor(original)
        expect(parseRowCursor(text)).toEqual(original)
        expect(encodeURIComponent(text)).toBe(text)
      }),
    )
  })

  test('is no other text', () => {
    const encode = (text: string) => Buffer.from(text).toString('base64url')
    const tooLarge = ['9007199254740992.1.1', '1.9007199254740992.1', '1.1.9007199254740992'].map(encode)
    const odd = ['1.2', '01.2.3', '1.2.3.4', '-1.2.3', '1..3', '1.2.3 '].map(encode)
    for (const text of ['', '*', 'x', '1.2.3', ...tooLarge, ...odd, `${encode('1.2.3')}=`]) {
      expect([text, parseRowCursor(text)]).toEqual([text, null])
    }
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Za-z0-9_-]{4,12}$/), (text) => {
        const parsed = parseRowCursor(text)
        expect(parsed === null ? text : formatRowCursor(parsed)).toBe(text)
      }),
    )
  })
})
