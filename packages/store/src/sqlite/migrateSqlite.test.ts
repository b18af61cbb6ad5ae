import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreIncompatibleError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { newestLayout } from '../layout/layoutSteps.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { sqliteLayout } from './migrations.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describe('migrateSqlite', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'attestry-migrate-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('makes the directory and the file, and leaves a database of its own version as it is', async () => {
    const path = join(folder, 'deep', 'er', 'index.db')
    migrateSqlite(path)
    const { mtimeMs } = statSync(path)
    migrateSqlite(path)
    expect(statSync(path).mtimeMs).toBe(mtimeMs)
    const reader = openSqliteReader(path)
    expect(await reader.listChains()).toEqual([])
    await reader.close()
  })

  test('brings a database of the baseline up to date by the steps that follow, once', () => {
    const path = join(folder, 'steps.db')
    migrateSqlite(path)
    const layout = {
      ...sqliteLayout,
      steps: [...sqliteLayout.steps, 'CREATE TABLE added (a)', "INSERT INTO added VALUES ('once')"],
    }
    migrateSqlite(path, { layout })
    migrateSqlite(path, { layout })
    const database = new DatabaseSync(path)
    expect(database.prepare('SELECT a FROM added').all()).toEqual([{ a: 'once' }])
    expect(database.prepare('PRAGMA user_version').get()).toEqual({ user_version: newestLayout(layout) })
    database.close()
    expect(() => migrateSqlite(path)).toThrow(/was made by a newer version of this program$/)
  })

  test('refuses a layout that is too old, says what to do, and leaves it as it is', () => {
    const path = join(folder, 'old.db')
    run(path, 'CREATE TABLE attestation (id); PRAGMA application_id = 0x41747374; PRAGMA user_version = 7')
    const before = readFileSync(path)
    for (const open of [migrateSqlite, openSqliteReader, openSqliteWriter]) {
      expect(() => open(path)).toThrow(StoreIncompatibleError)
      expect(() => open(path)).toThrow(
        `the database ${path} has layout 7, and this version upgrades layout 23 and newer: index into a new database, ` +
          'or export this one with the version that made it and import the export',
      )
    }
    expect(readFileSync(path)).toEqual(before)
  })

  test('is noticed by whoever reads the database as it was before', async () => {
    const path = join(folder, 'meanwhile.db')
    migrateSqlite(path)
    const reader = openSqliteReader(path)
    run(path, 'ALTER TABLE attestation RENAME COLUMN data TO payload')
    const key = { chainId: 10, localId: localIdOfCounter(1n) }
    await expect(reader.findAttestation(key)).rejects.toThrow(StoreIncompatibleError)
    await expect(reader.findAttestation(key)).rejects.toThrow(
      /has not the tables and columns of this version$/,
    )
    await reader.close()
  })

  test('says in one sentence that a path cannot be written', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const directory = join(folder, 'directory.db')
    mkdirSync(directory)
    for (const path of [join(file, 'index.db'), directory, '/proc/attestry/index.db']) {
      expect(() => migrateSqlite(path)).toThrow(StoreUnavailableError)
      expect(() => migrateSqlite(path)).toThrow(
        new RegExp(`^the (directory of the )?database ${path} cannot be [^\n]*$`),
      )
    }
  })

  test('refuses what is no database, what is another program’s, and what a newer version made', () => {
    const text = join(folder, 'text.db')
    writeFileSync(text, 'This is no database, but it is longer than the header of one would be: '.repeat(20))
    const foreign = join(folder, 'foreign.db')
    run(foreign, 'CREATE TABLE t (a)')
    const newer = join(folder, 'newer.db')
    migrateSqlite(newer)
    run(newer, 'PRAGMA user_version = 1000')
    for (const path of [text, foreign, newer]) {
      expect(() => migrateSqlite(path)).toThrow(StoreIncompatibleError)
      expect(() => openSqliteWriter(path)).toThrow(StoreIncompatibleError)
      expect(() => openSqliteReader(path)).toThrow(StoreIncompatibleError)
    }
  })

  test('refuses to build on a layout that is not what it says, and names what is missing', () => {
    const path = join(folder, 'unlike.db')
    const layout = { ...sqliteLayout, steps: [...sqliteLayout.steps, 'CREATE TABLE added (a)'] }
    migrateSqlite(path)
    run(path, 'ALTER TABLE schema_hour RENAME COLUMN count TO counted')
    expect(() => migrateSqlite(path, { layout })).toThrow(
      `layout ${newestLayout(sqliteLayout)}, but has no column schema_hour.count INTEGER:`,
    )
    run(path, 'ALTER TABLE schema_hour RENAME COLUMN counted TO count; DROP INDEX schema_by_time')
    expect(() => migrateSqlite(path, { layout })).toThrow(/has no index schema_by_time:/)
  })

  test('refuses to open a store if the file is missing or empty', () => {
    const path = join(folder, 'missing.db')
    expect(() => openSqliteReader(path)).toThrow(StoreUnavailableError)
    expect(existsSync(path)).toBe(false)
    const empty = join(folder, 'empty.db')
    run(empty, 'PRAGMA user_version = 0')
    chmodSync(empty, 0o600)
    expect(() => openSqliteReader(empty)).toThrow(StoreIncompatibleError)
    expect(() => openSqliteWriter(empty)).toThrow(StoreIncompatibleError)
  })

  test('a call on a closed store fails as unavailable', async () => {
    const path = join(folder, 'closed.db')
    migrateSqlite(path)
    const reader = openSqliteReader(path)
    await reader.close()
    await expect(reader.listChains()).rejects.toBeInstanceOf(StoreUnavailableError)
  })
})

function run(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}
