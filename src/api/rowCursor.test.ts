import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockNumberMax, eventPosition, logsPerBlockMax } from '../model/position.ts'
import { formatRowCursor, parseRowCursor } from './rowCursor.ts'

describe('a cursor', () => {
  const place = fc.record({
    timestamp: fc.maxSafeNat(),
    chainId: fc.maxSafeNat(),
    position: fc
      .tuple(fc.nat({ max: blockNumberMax }), fc.nat({ max: logsPerBlockMax - 1 }))
      .map(([block, logIndex]) => eventPosition(block, logIndex)),
  })

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
    const texts = [
      '',
      '*',
      'x',
      '1.2.3.4',
      encode('1.2.3'),
      encode('01.2.3.4'),
      encode('1.2.3.4.5'),
      encode('-1.2.3.4'),
    ]
    const outOfRange = [
      '9007199254740992.1.1.1',
      '1.9007199254740992.1.1',
      '1.1.8589934592.1',
      '1.1.1.1048576',
    ]
    for (const text of [...texts, ...outOfRange.map(encode), `${encode('1.2.3.4')}=`]) {
      expect([text, parseRowCursor(text)]).toEqual([text, null])
    }
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const parsed = parseRowCursor(text)
        if (parsed !== null) expect(formatRowCursor(parsed)).toBe(text)
      }),
    )
  })
})
