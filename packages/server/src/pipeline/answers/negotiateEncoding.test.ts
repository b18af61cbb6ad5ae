import { describe, expect, test } from 'vitest'
import { negotiateEncoding } from './negotiateEncoding.ts'

describe('the coding of an answer', () => {
  test.each([
    [undefined, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['GZIP;Q=1.0', 'gzip'],
    ['br;q=0.5, gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.001', 'br'],
    ['*', 'br'],
    ['*;q=0.5, br;q=0', 'gzip'],
    ['identity, gzip;q=0.5', 'identity'],
    ['identity;q=0.5, gzip', 'gzip'],
    ['deflate, zstd', 'identity'],
    ['*;q=0', 'identity'],
    ['br;q=nonsense', 'identity'],
    ['br;q=2', 'identity'],
    [',;=,', 'identity'],
  ])('of %j is %s', (header, coding) => {
    expect(negotiateEncoding(header)).toBe(coding)
    expect(negotiateEncoding(header)).toBe(coding)
  })
})
