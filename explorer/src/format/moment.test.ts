import { expect, test } from 'vitest'
import { partsOfMoment, readMoment } from './moment.ts'

test('a moment is a day, a block of a chain by number or hash, or a time', () => {
  expect(readMoment(' 2025-11-03 ')).toBe(String(Date.UTC(2025, 10, 3, 23, 59, 59) / 1000))
  expect(readMoment('10:120000000')).toBe('10:120000000')
  expect(readMoment(`10:0x${'aF'.repeat(32)}`)).toBe(`10:0x${'aF'.repeat(32)}`)
  expect(readMoment('1718000000')).toBe('1718000000')
  for (const text of ['', 'yesterday', '2025-13-40', '10:', ':5', '0:5', '10:0x12', '-5', '1e9']) {
    expect(readMoment(text)).toBeNull()
  }
})

test('a block names its chain, a time names none', () => {
  expect(partsOfMoment('10:7')).toEqual({ chainId: '10', block: '7' })
  expect(partsOfMoment('1718000000')).toEqual({ at: 1_718_000_000 })
})
