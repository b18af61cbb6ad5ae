import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cursorLinks, pageLinks } from './pageLinks.ts'

describe('the links of a page', () => {
  const size = 10

  test('keep the rest of the query', () => {
    expect(pageLinks('/scan/schemas?a=1&page=2&b=x%20y', { page: 2, size }, 35)).toBe(
      '<?a=1&b=x%20y&page=1>; rel="first", <?a=1&b=x%20y&page=1>; rel="prev", ' +
        '<?a=1&b=x%20y&page=3>; rel="next", <?a=1&b=x%20y&page=4>; rel="last"',
    )
  })

  test('name those pages that there are', () => {
    const relations = (page: number, total: number) =>
      [...(pageLinks('/x', { page, size }, total) ?? '').matchAll(/page=(\d+)>; rel="(\w+)"/g)]
        .map(([, number, relation]) => `${relation} ${number}`)
        .join(', ')
    expect(relations(1, 0)).toBe('first 1, last 1')
    expect(relations(1, 10)).toBe('first 1, last 1')
    expect(relations(1, 11)).toBe('first 1, next 2, last 2')
    expect(relations(9, 11)).toBe('first 1, prev 2, last 2')
  })

  test('of a walk lead on by cursor', () => {
    expect(cursorLinks('/x?cursor=*&size=1', 'abc')).toBe(
      '<?size=1&cursor=*>; rel="first", <?size=1&cursor=abc>; rel="next"',
    )
    expect(cursorLinks('/x?%63ursor=abc', null)).toBe('<?cursor=*>; rel="first"')
  })

  test('are left out where the query is very long', () => {
    expect(pageLinks(`/x?keyword=${'x'.repeat(600)}`, { page: 1, size }, 35)).toBeNull()
  })

  test('have no character that ends a reference early', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[!-~]{0,40}$/), (query) => {
        const [first] = (pageLinks(`/x?${query}`, { page: 1, size }, 5) ?? '').split(', <')
        expect(first).toMatch(/^<\?[^<>"#\\^`{|}\s]*page=1>; rel="first"$/)
      }),
    )
  })
})
