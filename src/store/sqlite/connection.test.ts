import { expect, test } from 'vitest'
import { openConnection } from './connection.ts'

test('batches hold 500 short rows, or as many long ones as come to a MiB', async () => {
  const connection = openConnection(':memory:', { readOnly: false, cacheMib: 1 })
  try {
    const lengthsOf = async (count: number, size: number) => {
      const series = 'WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ?)'
      const lengths: number[] = []
      for await (const rows of connection.batches(`${series} SELECT n, zeroblob(?) FROM s`, count, size)) {
        lengths.push(rows.length)
      }
      return lengths
    }
    expect(await lengthsOf(1_200, 10)).toEqual([500, 500, 200])
    expect(await lengthsOf(7, 2 ** 18)).toEqual([4, 3])
    expect(await lengthsOf(0, 10)).toEqual([1])
  } finally {
    connection.close()
  }
})
