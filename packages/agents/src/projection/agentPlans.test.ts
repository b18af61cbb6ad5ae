import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { agentSubject } from '@attestry/core/model/agents.ts'
import { everyAgent, type AgentFilter } from './agentQueries.ts'
import { listAgentNotes } from './agentNotes.ts'
import { projection } from '../agentProjection.ts'
import {
  countAgents,
  findAgents,
  findGreatestAgent,
  listAgentHistory,
  listAgentMetadata,
  sliceAgents,
  sliceAgentUris,
} from './readAgents.ts'
import { foldAgent } from './agentsAsOf.ts'
import { cutAt } from '@attestry/store/reading/sessionsAsOf.ts'
import { fillEmptyAgents, keeper, squatter } from './testing/emptyAgents.ts'
import { lookupsOf, openConnection, type Connection } from '@attestry/store/sqlite/connection.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '@attestry/store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '@attestry/store/sqlite/openSqliteWriter.ts'
import { createReadSession } from '@attestry/store/sqlite/readSession.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-agent-plans-'))
const path = join(folder, 'index.db')
const agents = 100_000

beforeAll(async () => {
  migrateSqlite(path, { projections: [projection] })
  const writer = openSqliteWriter(path, { projections: [projection] })
  await fillEmptyAgents(writer, agents)
  await writer.close()
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const filters: readonly (readonly [Partial<AgentFilter>, number])[] = [
  [{}, agents],
  [{ order: 'updated' }, agents],
  [{ order: 'feedback' }, agents],
  [{ chainId: 5 }, agents],
  [{ chainId: 137 }, 0],
  [{ owner: squatter }, agents - 10],
  [{ owner: keeper, chainId: 5 }, 10],
  [{ hasFeedback: true }, 0],
  [{ hasFeedback: false }, agents],
  [{ active: true }, 0],
  [{ active: false, chainId: 5 }, 0],
  [{ hasFile: true }, 0],
  [{ hasFile: true, order: 'updated' }, 0],
  [{ folded: 'ada' }, 0],
  [{ service: 'MCP', capability: 'tee' }, 0],
]

test('lists and counts among a hundred thousand empty agents are walks of an index, and none is sorted', async () => {
  const texts = new Set<string>()
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), texts)
  const session = createReadSession(connection, 'whole')
  session.begin()
  const found: unknown[] = []
  for (const [filter] of filters) {
    const request = {
      filter: { ...everyAgent, ...filter },
      order: 'newestFirst',
      after: null,
      limit: 25,
    } as const
    const { rows } = await sliceAgents(session, request, 100_000)
    const total = await countAgents(connection, request.filter)
    found.push([filter, total, rows.length])
  }
  const key = { chainId: 5, subject: agentSubject(77n) }
  await findAgents(connection, [key], true)
  await listAgentMetadata(connection, { chainId: 5, subjects: [key.subject], names: null }, 0, 100)
  const blocks = new Map([[5, { number: 50, timestamp: null }]])
  const cut = await cutAt(session, { blocks, at: null })
  const notes = { kind: 'feedbackResponse', chainId: 5, agent: key.subject, targets: null } as const
  for (const end of [null, ...cut.chains]) {
    await listAgentHistory(connection, key, { page: 1, size: 10 }, end)
    await listAgentNotes(connection, notes, { page: 1, size: 10 }, end)
  }
  await foldAgent({ ...session, cut }, key, true)
  expect(await findGreatestAgent(connection, 5)).toBe(agentSubject(BigInt(agents - 1)))
  expect((await sliceAgentUris(session, 5, 50, 100)).rows).toHaveLength(100)
  const plans = [...texts].map((sql) => ({ sql, plan: planOf(connection, sql) }))
  session.close()

  expect(found).toEqual(filters.map(([filter, total]) => [filter, total, Math.min(total, 25)]))
  expect(plans.length).toBeGreaterThan(filters.length)
  expect(plans.filter(({ plan }) => plan.some(isBad) && !plan.some(isOfText))).toEqual([])
})

test.each([{}, { chainId: 5 }])('a page of agents by words looks the words up once', async (others) => {
  const texts: string[] = []
  const written = { add: (sql: string) => texts.push(sql) }
  const connection = recording(openConnection(path, { readOnly: true, cacheMib: 8 }), written)
  const session = createReadSession(connection, 'whole')
  session.begin()
  const filter = { ...everyAgent, ...others, folded: 'ada' }
  const found = {}
  expect(await countAgents(connection, filter, found)).toBe(0)
  const request = { filter, order: 'newestFirst', after: null, limit: 25 } as const
  expect((await sliceAgents(session, request, 100_000, found)).rows).toEqual([])
  session.close()
  expect(texts.filter((sql) => sql.includes('agent_text_index'))).toHaveLength(1)
})

test('a page in the middle of a hundred thousand agents is read, unless rows decide about the way to it', async () => {
  const reader = openSqliteReader(path, { projections: [projection] })
  const middle = { page: 5_000, size: 10 }
  const newest = BigInt(agents - 1)
  for (const filter of [{}, { order: 'updated' }, { order: 'feedback' }, { chainId: 5 }] as const) {
    const { total, rows } = await reader.listAgents({ ...everyAgent, ...filter }, middle)
    const subjects = rows.map(({ key }) => key.subject)
    expect([filter, total, subjects[0], subjects[9]]).toEqual([
      filter,
      agents,
      agentSubject(newest - 49_990n),
      agentSubject(newest - 49_999n),
    ])
  }
  const byRows = reader.listAgents({ ...everyAgent, hasFeedback: false }, middle)
  await expect(byRows).rejects.toThrow(StoreTooMuchWorkError)
  await reader.close()
})

/** Looks the ids of a text up, or reads the agents with these ids: at most a thousand, which are sorted. */
function isOfText(line: string): boolean {
  return /^SCAN (agent_text_index|json_each) VIRTUAL TABLE INDEX \d+:/.test(line)
}

/** Reads a table or index that grows with the agents from one end to the other, or sorts. */
function isBad(line: string): boolean {
  if (line.includes('TEMP B-TREE')) return true
  if (!line.startsWith('SCAN ')) return false
  return !/^SCAN (m|n|chain|index_state|agent_count|\(subquery-\d+\)|.* USING (COVERING )?INDEX .*)$/.test(
    line,
  )
}

function planOf(connection: Connection, sql: string): string[] {
  return connection
    .statement<[number, number, number, string]>(`EXPLAIN QUERY PLAN ${sql}`)
    .all()
    .map((row) => row[3])
}

/** The connection, with the texts of all statements written down. */
function recording(connection: Connection, texts: { add(sql: string): unknown }): Connection {
  const record = (sql: string) => {
    texts.add(sql)
    return sql
  }
  const statement: Connection['statement'] = (sql) => connection.statement(record(sql))
  return {
    ...connection,
    get: (sql, ...parameters) => connection.get(record(sql), ...parameters),
    all: (sql, ...parameters) => connection.all(record(sql), ...parameters),
    batches: (sql, ...parameters) => connection.batches(record(sql), ...parameters),
    statement,
    ...lookupsOf(statement),
  }
}
