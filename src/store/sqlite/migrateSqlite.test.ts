import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreIncompatibleError, StoreUnavailableError } from '../../errors/storeErrors.ts'
import { localIdOfCounter } from '../../model/compositeId.ts'
import { parseAddress, zeroAddress } from '../../model/hex.ts'
import { classifyKeyword } from '../../model/keyword.ts'
import { countClass, countClassBounds } from '../layout/countClass.ts'
import { renderedRecords } from '../testing/renderedRecords.ts'
import { attestationJson } from './attestationJson.ts'
import { migrateSqlite } from './migrateSqlite.ts'
import { migrations } from './migrations.ts'
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

  test('brings a database of any earlier layout up to date', async () => {
    for (const version of migrations.keys()) {
      const path = join(folder, `layout-${version}.db`)
      run(path, [...migrations.slice(0, version), `PRAGMA user_version = ${version}`].join(';'))
      if (version > 0) run(path, 'PRAGMA application_id = 0x41747374')
      migrateSqlite(path)
      const reader = openSqliteReader(path)
      const keyword = classifyKeyword('0x1')
      const query = { schema: null, keyword, page: 1, size: 10, fields: { detail: false, schema: false } }
      expect(await reader.listAttestations(query)).toEqual({ total: 0, rows: [] })
      await reader.close()
    }
  })

  test('counts the anchors of accounts that an earlier layout held', async () => {
    const path = join(folder, 'anchors.db')
    const earlier = migrations.findIndex((step) => step.includes('CREATE TABLE account_anchor'))
    const account = `0x${'ab'.repeat(20)}`
    run(path, [...migrations.slice(0, earlier), `PRAGMA user_version = ${earlier}`].join(';'))
    run(path, 'PRAGMA application_id = 0x41747374')
    run(
      path,
      "INSERT INTO chain (ordinal, chain_id, name, contracts_json) VALUES (3, 10, 'OP', '[]');" +
        `INSERT INTO anchor VALUES ((3 << 53) + 1, 'eas', 'RevokedOffchain', '${account}'), ` +
        `((3 << 53) + 2, 'eas', 'RevokedOffchain', '${account}'), ((3 << 53) + 3, 'eas', 'Timestamped', NULL)`,
    )
    migrateSqlite(path)
    const reader = openSqliteReader(path)
    expect(await reader.listAnchors(parseAddress(account) ?? zeroAddress)).toEqual([
      { chainId: 10, anchor: 'RevokedOffchain', count: 2 },
    ])
    await reader.close()
  })

  test('gives the schemas of a database the classes of their counts', () => {
    const path = join(folder, 'counts.db')
    const counts = [0, 1, 15, 16, ...countClassBounds.flatMap((bound) => [bound - 1, bound]), 2 ** 40]
    const earlier = migrations.findIndex((step) => step.includes('ADD COLUMN count_class'))
    run(path, [...migrations.slice(0, earlier), `PRAGMA user_version = ${earlier}`].join(';'))
    const inserts = counts.map(
      (count, index) =>
        'INSERT INTO schema (id, chain_id, local_id, registered, attestation_count, attester_count) ' +
        `VALUES (${index}, 1, '${index}', 0, ${count}, 0)`,
    )
    run(path, ['PRAGMA application_id = 0x41747374', ...inserts].join(';'))
    migrateSqlite(path)
    const database = new DatabaseSync(path)
    const rows = database.prepare('SELECT count_class AS class FROM schema ORDER BY id').all()
    database.close()
    expect(rows.map((row) => row['class'])).toEqual(counts.map(countClass))
  })

  test('reads records that were there as JSON as they were, once they are columns', () => {
    const path = join(folder, 'rendered.db')
    const earlier = migrations.findIndex((step) => step.includes('attestation_rendered'))
    run(path, [...migrations.slice(0, earlier), `PRAGMA user_version = ${earlier}`].join(';'))
    run(path, 'PRAGMA application_id = 0x41747374')
    const database = new DatabaseSync(path)
    const insert = database.prepare(
      'INSERT INTO attestation (id, chain_id, schema_id, attester_id, attest_timestamp, transaction_key, valid_until, ' +
        'sync_at, local_id, protocol, data_location, linked_local_id, summary_json, detail_json) ' +
        "VALUES (?, 10, 1, 1, 1700000000, 1, CAST(? AS INTEGER), 1, ?, 'sign', 'ONCHAIN', ?, ?, ?)",
    )
    for (const { id, localId, validUntil, linkedLocalId, summaryJson, detailJson } of renderedRecords) {
      insert.run(id, validUntil, localId, linkedLocalId, summaryJson, detailJson)
    }
    migrateSqlite(path)
    const columns = `${attestationJson.summary} AS summary, ${attestationJson.detail} AS detail`
    const rows = database.prepare(`SELECT ${columns} FROM attestation a ORDER BY a.id`).all()
    database.close()
    expect(rows.map((row) => [row['summary'], row['detail']])).toEqual(
      renderedRecords.map(({ summaryJson, detailJson }) => [summaryJson, detailJson]),
    )
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
    run(
      path,
      [...migrations.slice(0, 1), 'PRAGMA user_version = 1; PRAGMA application_id = 0x41747374'].join(';'),
    )
    run(path, 'ALTER TABLE schema_hour RENAME COLUMN count TO counted')
    expect(() => migrateSqlite(path)).toThrow(/layout 1, but has no column schema_hour.count INTEGER:/)
    run(path, 'ALTER TABLE schema_hour RENAME COLUMN counted TO count; DROP INDEX schema_by_time')
    expect(() => migrateSqlite(path)).toThrow(/has no index schema_by_time:/)
    expect(() => openSqliteReader(path)).toThrow(/has an older layout/)
  })

  test('a store is not opened where there is none', () => {
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
