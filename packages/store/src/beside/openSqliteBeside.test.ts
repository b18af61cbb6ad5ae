import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { BesideLayout } from './besideDatabase.ts'
import { openSqliteBeside } from './openSqliteBeside.ts'

test('tables of an earlier version get the steps that they lack, and keep their rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-beside-'))
  const path = join(folder, 'index.db.tally')
  const layoutOf = (...steps: BesideLayout['steps']): BesideLayout => ({ name: 'tally', number: 1, steps })
  const first = () => 'CREATE TABLE tally (name text)'
  const second = () => 'ALTER TABLE tally ADD COLUMN count integer NOT NULL DEFAULT 7'
  const old = openSqliteBeside(path, layoutOf(first))
  await old.transact((statements) => statements.all("INSERT INTO tally VALUES ('a') RETURNING name"))
  await old.close()
  for (let time = 0; time < 2; time++) {
    const now = openSqliteBeside(path, layoutOf(first, second))
    expect(await now.all('SELECT name, count FROM tally')).toEqual([['a', 7]])
    await now.close()
  }
  const again = openSqliteBeside(path, layoutOf(first))
  await expect(again.all('SELECT 1')).rejects.toThrow('was made by a newer version')
  await again.close()
  rmSync(folder, { recursive: true })
})
