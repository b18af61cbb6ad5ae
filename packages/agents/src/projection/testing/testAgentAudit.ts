import fc from 'fast-check'
import { expect, test } from 'vitest'
import { firstCases, nightTest } from '@attestry/test/harness/nightly.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import type { IndexAudit, IndexRepair } from '@attestry/core/index/indexAudit.ts'
import { exportAndClose, fillStore, type CreateTestStore } from '@attestry/store/testing/storeFactory.ts'
import { agentSteps, generateAgentBlocks } from './generatedAgents.ts'

/** The stores of agents that can be audited and repaired, and damaged. */
export type CreateAuditedStore = (...options: Parameters<CreateTestStore>) => Promise<
  Awaited<ReturnType<CreateTestStore>> & {
    openAudit(): IndexAudit
    openRepair(): IndexRepair
    /** Runs statements on the stored tables. */
    execute(sql: string): Promise<void>
    /** All rows of a table in the order of its columns. */
    rowsOf(table: string): Promise<readonly unknown[]>
  }
>

const tables = [
  'agent',
  'agent_text',
  'agent_metadata',
  'agent_note',
  'agent_reviewer',
  'agent_count',
  'agent_week',
  'agent_note_count',
  'projection_chain',
] as const

/** Damages of the tables of agents, each with the table that it is in. */
const damages: readonly (readonly [table: (typeof tables)[number], sql: string])[] = [
  ['agent', 'UPDATE agent SET feedback_count = feedback_count + 1'],
  // As an earlier version read fewer registration files.
  ['agent', "UPDATE agent SET folded = NULL, profile_json = '{}'"],
  ['agent_text', "UPDATE agent_text SET folded = 'other'"],
  ['agent_metadata', 'DELETE FROM agent_metadata'],
  ['agent_note', 'UPDATE agent_note SET target = agent'],
  ['agent_reviewer', 'UPDATE agent_reviewer SET count = count + 1'],
  ['agent_count', 'UPDATE agent_count SET count = count + 1'],
  ['agent_week', 'UPDATE agent_week SET count = count + 1'],
  ['agent_note_count', 'DELETE FROM agent_note_count'],
  ['projection_chain', 'UPDATE projection_chain SET block = block - 1'],
  ['agent', 'DELETE FROM agent'],
  ['agent_text', 'DELETE FROM agent_text'],
  ['agent_note', 'DELETE FROM agent_note'],
  ['agent_count', 'UPDATE agent_count SET activity = activity + 3'],
  ['projection_chain', 'DELETE FROM projection_chain'],
]

/** @param share the part of the damages that a slow store is tried with. */
export function testAgentAudit(create: CreateAuditedStore, share: number): void {
  const slowTest = share === 1 ? test : nightTest
  slowTest(
    'the audit finds each damage of the tables of agents, and the repair makes them anew from events',
    async () => {
      const store = await create({ rankThreshold: 3 })
      const writer = store.openWriter()
      const life = fc.sample(agentSteps(60), { numRuns: 3, seed: 3 }).flat()
      await fillStore(writer, new Map([[5, generateAgentBlocks(5, [], life, 'a')]]))
      await writer.close()
      const read = async () => Promise.all(tables.map(store.rowsOf))
      const right = await read()
      expect(right.every((rows) => rows.length > 0)).toBe(true)
      const lines = await exportAndClose(store.openReader(), true)
      expect(await differencesOf(store.openAudit())).toEqual([])
      for (const [table, sql] of firstCases(Math.ceil(10 * share), damages)) {
        await store.execute(sql)
        const found = await differencesOf(store.openAudit())
        expect({ sql, found: found.some(({ subject }) => subject.startsWith(`${table} (`)) }).toEqual({
          sql,
          found: true,
        })
        expect(new Set(found.map(({ remedy }) => remedy))).toEqual(new Set(['rebuild']))
        await store.openRepair().rebuild()
        expect(await read()).toEqual(right)
      }
      expect(await exportAndClose(store.openReader(), true)).toEqual(lines)
      await store.remove()
    },
  )
}

async function differencesOf(audit: IndexAudit): Promise<readonly Difference[]> {
  const found: Difference[] = []
  for await (const difference of audit.findContradictions()) found.push(difference)
  await audit.close()
  return found
}
