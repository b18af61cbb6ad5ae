import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseSearch, readPage, readPageSize, stringifySearch } from './readSearch.ts'

test('every value that is written into a URL is read back', () => {
  const names = fc.string({ minLength: 1 }).filter((name) => name !== 'page' && name !== '__proto__')
  fc.assert(
    fc.property(fc.dictionary(names, fc.string({ minLength: 1 })), (search) => {
      expect(parseSearch(stringifySearch(search))).toEqual({ ...search })
    }),
  )
})

test('texts that look like numbers stay texts, and the defaults are not written', () => {
  expect(parseSearch('?q=0x10&chainId=007')).toEqual({ q: '0x10', chainId: '007' })
  expect(stringifySearch({ q: '1e3', page: 1, empty: '', absent: undefined, revoked: false })).toBe(
    '?q=1e3&revoked=false',
  )
})

test.each([
  ['2', 2],
  ['1', undefined],
  ['-1', undefined],
  ['1e3', undefined],
  ['99999999999', undefined],
])('page %s is read as %s', (page, read) => {
  expect(readPage({ page })).toBe(read)
})

test('only sizes that can be chosen are sizes', () => {
  expect([readPageSize({ size: '50' }), readPageSize({ size: '25' }), readPageSize({ size: '7' })]).toEqual([
    50,
    undefined,
    undefined,
  ])
})
