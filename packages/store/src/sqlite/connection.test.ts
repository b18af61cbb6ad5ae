import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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

test.runIf(process.platform !== 'win32')('the files of a new database may be read by its owner alone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-rights-'))
  const before = process.umask(0o022)
  try {
    const connection = openConnection(join(folder, 'index.db'), { readOnly: false, cacheMib: 1 })
    connection.exec('PRAGMA journal_mode = WAL; CREATE TABLE noted (text text)')
    expect(readdirSync(folder).sort()).toEqual(['index.db', 'index.db-shm', 'index.db-wal'])
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
    connection.close()
  } finally {
    process.umask(before)
    rmSync(folder, { recursive: true, force: true })
  }
})
