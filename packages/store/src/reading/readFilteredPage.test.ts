import { expect, test } from 'vitest'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import type { SliceRequest } from '@attestry/core/index/indexQueries.ts'
import { readFilteredPage, type FilteredList } from './readFilteredPage.ts'

/** So many rows, numbered from the newest, 0; `passed` notes how many each slice gave. */
function listOf(total: number): FilteredList<{ readonly row: number }> & { readonly passed: number[] } {
  const passed: number[] = []
  const slice = ({ order, after, limit }: Omit<SliceRequest<never>, 'filter'>) => {
    const step = order === 'newestFirst' ? 1 : -1
    const first = after === null ? (step === 1 ? 0 : total - 1) : after.position + step
    const left = step === 1 ? total - first : first + 1
    const rows = Array.from({ length: Math.min(limit, left) }, (_, index) => {
      const row = first + step * index
      return { row, place: { timestamp: 0, chainId: 1, position: row } }
    })
    passed.push(rows.length)
    return Promise.resolve({ rows, hasMore: rows.length < left, scannedTo: null })
  }
  return { count: () => Promise.resolve(total), slice, turn: null, passed }
}

test('a page is walked to from the nearer end', async () => {
  for (const [page, passed] of [
    [3, [20, 10]],
    [2_999, [10, 10]],
  ] as const) {
    const list = listOf(30_000)
    const { total, rows } = await readFilteredPage(list, { page, size: 10 })
    expect(total).toBe(30_000)
    expect(rows.map(({ row }) => row)).toEqual(
      Array.from({ length: 10 }, (_, index) => (page - 1) * 10 + index),
    )
    expect(list.passed).toEqual(passed)
  }
})

test('a page far from both ends is refused', async () => {
  const list = listOf(1_000_000)
  await expect(readFilteredPage(list, { page: 5_000, size: 10 })).rejects.toThrow(StoreTooMuchWorkError)
  expect(list.passed).toEqual([])
  expect((await readFilteredPage(list, { page: 1_001, size: 10 })).rows[0]?.row).toBe(10_000)
})

test('a page far from both ends is read if an index finds its place', async () => {
  const list = listOf(1_000_000)
  const found = {
    ...list,
    findPlace: (order: string, count: number) =>
      Promise.resolve({
        timestamp: 0,
        chainId: 1,
        position: order === 'newestFirst' ? count - 1 : 1e6 - count,
      }),
  }
  for (const page of [5_000, 50_000, 99_000]) {
    const { rows } = await readFilteredPage(found, { page, size: 10 })
    expect(rows.map(({ row }) => row)).toEqual(Array.from({ length: 10 }, (_, row) => (page - 1) * 10 + row))
  }
  expect(list.passed).toEqual([10, 10, 10])
})
