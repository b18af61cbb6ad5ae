import { DatabaseSync } from 'node:sqlite'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteAudit } from '@attestry/store/sqlite/openSqliteAudit.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteRepair } from '@attestry/store/sqlite/openSqliteRepair.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { decodeTestPayload, testFieldIndexing } from '@attestry/store/testing/testPayloads.ts'
import { projection } from './agentProjection.ts'
import { describeAgentStore } from './testing/describeAgentStore.ts'

const projections = [projection]
const readings = { ...testFieldIndexing, projections }

describeAgentStore(
  'agents over SQLite',
  (options) => {
    const { path, remove } = createSqliteTestStore({ ...options, projections })
    const inDatabase = <Result>(work: (database: DatabaseSync) => Result): Promise<Result> => {
      const database = new DatabaseSync(path)
      const result = work(database)
      database.close()
      return Promise.resolve(result)
    }
    const readRows = (sql: string) =>
      inDatabase((database) => {
        const statement = database.prepare(sql)
        statement.setReadBigInts(true)
        return statement.all()
      })
    return Promise.resolve({
      openWriter: () =>
        openSqliteWriter(path, { group: { batchEvents: 0 }, fields: testFieldIndexing, projections }),
      openReader: () => openSqliteReader(path, { projections }),
      openAudit: () => openSqliteAudit(path, readings),
      openRepair: () => openSqliteRepair(path, readings),
      query: (view, order) => readRows(`SELECT * FROM attestry_${view} ORDER BY ${order}`),
      execute: (sql: string) => inDatabase((database) => database.exec(sql)),
      rowsOf: (table: string) => readRows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`),
      remove,
    })
  },
  (options) => {
    const { path, remove } = createSqliteTestStore({ ...options, projections })
    return Promise.resolve({
      openWriter: () => openSqliteWriter(path, { group: { batchEvents: 0 }, projections }),
      openReader: (limits) =>
        openSqliteReader(path, { ...limits, decodePayload: decodeTestPayload, projections }),
      remove,
    })
  },
  () => {
    const { path, remove } = createSqliteTestStore({ rankThreshold: 4 })
    return Promise.resolve({
      openBareWriter: () => openSqliteWriter(path),
      join: () => Promise.resolve(migrateSqlite(path, { projections })),
      openWriter: () => openSqliteWriter(path, { projections }),
      openReader: () => openSqliteReader(path, { projections }),
      remove,
    })
  },
)
