import { Client, types } from 'pg'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresIndex, createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { migratePostgres } from '@attestry/store/postgres/migratePostgres.ts'
import { openPostgresAudit } from '@attestry/store/postgres/openPostgresAudit.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresRepair } from '@attestry/store/postgres/openPostgresRepair.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import type { Row } from '@attestry/store/testing/expectViews.ts'
import { decodeTestPayload, testFieldIndexing } from '@attestry/store/testing/testPayloads.ts'
import { projection } from '../agentProjection.ts'
import { describeAgentStore } from './testing/describeAgentStore.ts'

const projections = [projection]

/** Reads a view as an analyst's client does, with JSON as text and times as ISO 8601. */
async function queryView(url: string, view: string, order: string): Promise<readonly Row[]> {
  const analyst = new Client({
    connectionString: url,
    types: {
      getTypeParser: (id) => (id === types.builtins.JSON ? (text: string) => text : types.getTypeParser(id)),
    },
  })
  await analyst.connect()
  const { rows } = await analyst.query<Row>(`SELECT * FROM attestry.${view} ORDER BY ${order}`)
  await analyst.end()
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof Date ? value.toISOString().replace('.000Z', 'Z') : value,
      ]),
    ),
  )
}
const readings = { ...testFieldIndexing, projections }

describeAgentStore(
  'agents over PostgreSQL',
  async (options) => {
    const { url, remove } = await createPostgresTestStore({ ...options, projections })
    return {
      openWriter: () => openPostgresWriter(url, { fields: testFieldIndexing, projections }),
      openReader: () => openPostgresReader(url, { projections }),
      openAudit: () => openPostgresAudit(url, readings),
      openRepair: () => openPostgresRepair(url, readings),
      query: (view, order) => queryView(url, view, order),
      execute: (sql: string) => withTestConnection(url, (connection) => connection.exec(sql)),
      rowsOf: (table: string) =>
        withTestConnection(url, (connection) => connection.all(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)),
      remove,
    }
  },
  async (options) => {
    const { url, remove } = await createPostgresTestStore({ ...options, projections })
    return {
      openWriter: () => openPostgresWriter(url, { projections }),
      openReader: (limits) =>
        openPostgresReader(url, { ...limits, decodePayload: decodeTestPayload, projections }),
      remove,
    }
  },
  async () => {
    const { url, remove } = await createPostgresIndex({ rankThreshold: 4 })
    return {
      openBareWriter: () => openPostgresWriter(url),
      dropTables: () =>
        withTestConnection(url, (connection) => connection.exec('DROP TABLE agent_text, agent_week')),
      dropIndex: () =>
        withTestConnection(url, (connection) => connection.exec('DROP INDEX agent_by_feedback')),
      join: async () => void (await migratePostgres(url, { projections })),
      openWriter: () => openPostgresWriter(url, { projections }),
      openReader: () => openPostgresReader(url, { projections }),
      remove,
    }
  },
  0.2,
)
