import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteAudit } from '@attestry/store/sqlite/openSqliteAudit.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteRepair } from '@attestry/store/sqlite/openSqliteRepair.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { decodeTestPayload, testFieldIndexing } from '@attestry/store/testing/testPayloads.ts'
import { fillStore } from '@attestry/store/testing/storeFactory.ts'
import { projection } from '../agentProjection.ts'
import { describeAgentStore } from './testing/describeAgentStore.ts'
import { agentSteps, generateAgentBlocks } from './testing/generatedAgents.ts'

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
      dropTables: () =>
        drop(path, 'DROP TABLE agent_text; DROP TABLE agent_text_index; DROP TABLE agent_week'),
      dropIndex: () => drop(path, 'DROP INDEX agent_by_feedback'),
      join: () => Promise.resolve(migrateSqlite(path, { projections })),
      openWriter: () => openSqliteWriter(path, { projections }),
      openReader: () => openSqliteReader(path, { projections }),
      remove,
    })
  },
)

function drop(path: string, statements: string): Promise<void> {
  const database = new DatabaseSync(path)
  database.exec(statements)
  database.close()
  return Promise.resolve()
}

test('the audit finds a damaged index of texts, and the repair makes it anew', async () => {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 3, projections })
  const writer = openSqliteWriter(path, { projections })
  const life = fc.sample(agentSteps(60), { numRuns: 3, seed: 3 }).flat()
  await fillStore(writer, new Map([[5, generateAgentBlocks(5, [], life, 'a')]]))
  await writer.close()
  const database = new DatabaseSync(path)
  database.exec("INSERT INTO agent_text_index (agent_text_index) VALUES ('delete-all')")
  database.close()
  const differencesOf = async () => {
    const audit = openSqliteAudit(path, readings)
    const found = await Array.fromAsync(audit.findContradictions())
    await audit.close()
    return found
  }
  const found = await differencesOf()
  expect(found.length).toBeGreaterThan(0)
  expect(new Set(found.map(({ field, stored }) => [field, stored].join()))).toEqual(
    new Set(['agent_text_index,']),
  )
  await openSqliteRepair(path, readings).rebuild()
  expect(await differencesOf()).toEqual([])
  await remove()
})
