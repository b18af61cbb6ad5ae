import { expect, test, vi } from 'vitest'
import { withTestConnection } from '@attestry/test/harness/postgresConnection.ts'
import { createPostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { agentSubject } from '@attestry/core/model/agents.ts'
import { everyAgent, type AgentFilter } from './agentQueries.ts'
import { fillEmptyAgents, keeper } from './testing/emptyAgents.ts'
import type { Connection } from '@attestry/store/postgres/connection.ts'
import { openPostgresReader } from '@attestry/store/postgres/openPostgresReader.ts'
import { openPostgresWriter } from '@attestry/store/postgres/openPostgresWriter.ts'
import { projection } from '../agentProjection.ts'

const projections = [projection]
const agents = 20_000
const filters: readonly (readonly [Partial<AgentFilter>, number])[] = [
  [{}, agents],
  [{ order: 'updated' }, agents],
  [{ order: 'feedback' }, agents],
  [{ chainId: 5 }, agents],
  [{ owner: keeper }, 2],
  [{ hasFeedback: true }, 0],
  [{ hasFeedback: false }, agents],
  [{ active: true }, 0],
  [{ active: false, chainId: 5 }, 0],
  [{ hasFile: true }, 0],
  [{ folded: 'ada' }, 0],
]

test('the first pages of twenty thousand empty agents read a small part of them, by plans made before and after', async () => {
  const { url, remove } = await createPostgresTestStore({ rankThreshold: 1_000, projections })
  const writer = openPostgresWriter(url, { projections })
  const reader = openPostgresReader(url, { connectionsMax: 1, projections })
  try {
    await withTestConnection(url, async (connection) => {
      await fillEmptyAgents(writer, agents)
      await writer.close()
      const before = await countRead(connection)
      // The server keeps plans of its own accord after five times.
      for (let time = 0; time < 4; time++) await readLists(reader)
      await connection.exec('ANALYZE')
      for (let time = 0; time < 4; time++) await readLists(reader)
      await reader.close()
      // Two passes over the agents would be as much as all eight rounds may be: a page reads some 25 rows.
      expect((await countRead(connection)) - before).toBeLessThan(2 * agents)
    })
  } finally {
    await reader.close()
    await writer.close()
    await remove()
  }
})

async function readLists(reader: ReturnType<typeof openPostgresReader>): Promise<void> {
  for (const [filter, total] of filters) {
    const found = await reader.listAgents({ ...everyAgent, ...filter }, { page: 1, size: 25 })
    expect([filter, found.total, found.rows.length]).toEqual([filter, total, Math.min(total, 25)])
  }
  const key = { chainId: 5, subject: agentSubject(77n) }
  expect((await reader.listAgentHistory(key, { page: 1, size: 10 })).total).toBe(1)
  expect(await reader.findAgents([key])).toMatchObject([{ key }])
  expect(await reader.findGreatestAgent(5)).toBe(agentSubject(BigInt(agents - 1)))
  expect((await reader.sliceAgentUris(5, 50, 100)).rows).toHaveLength(100)
  const past = reader.asOf({ blocks: new Map([[5, { number: 1_000_000, timestamp: null }]]), at: null })
  expect(await past.findAgents([key])).toMatchObject([{ key }])
  expect((await past.listAgentHistory(key, { page: 1, size: 10 })).total).toBe(1)
}

/** How many rows and entries of indexes were read: the server counts those of a session by its end. */
async function countRead(connection: Connection): Promise<number> {
  const sessions = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'attestry %'`
  await vi.waitFor(async () => expect(await connection.get(sessions)).toEqual([0]), { timeout: 60_000 })
  const row = await connection.get<[number]>(
    'SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables)::bigint + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)::bigint',
  )
  return row?.[0] ?? 0
}
