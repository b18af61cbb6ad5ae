import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectDocumented, isoTime, pick, type QueryView } from '@attestry/store/testing/expectViews.ts'
import { fillStore, type CreateTestStore } from '@attestry/store/testing/storeFactory.ts'
import { everyAgent } from '../agentQueries.ts'
import { agentSteps, generateAgentBlocks } from './generatedAgents.ts'

/** The stores of agents with their views. */
export type CreateViewedStore = (
  ...options: Parameters<CreateTestStore>
) => Promise<Awaited<ReturnType<CreateTestStore>> & { readonly query: QueryView }>

export function testAgentViews(create: CreateViewedStore): void {
  test('the view of agents has the rows of the reader and the columns of the docs', async () => {
    const store = await create({ rankThreshold: 4 })
    const writer = store.openWriter()
    const life = fc.sample(agentSteps(60), { numRuns: 1, seed: 5 }).flat()
    await fillStore(writer, new Map([[77, generateAgentBlocks(77, [], life, 'a')]]))
    await writer.close()
    const reader = store.openReader()
    const { rows: agents } = await reader.listAgents(everyAgent, { page: 1, size: 100 })
    expect(
      (await store.query('agents', 'registered_at DESC, block DESC')).map((row) => pick(row, agentMembers)),
    ).toEqual(
      agents.map((agent) => ({
        subject: agent.key.subject,
        owner: agent.owner,
        wallet: agent.wallet,
        profile: agent.profile,
        registered_at: isoTime(agent.registeredTimestamp),
        feedback_at: isoTime(agent.feedbackTimestamp),
        version_count: agent.versionCount,
        feedback_count: agent.feedbackCount,
      })),
    )
    expect(agents.length).toBeGreaterThan(1)
    await expectDocumented('agents', store.query)
    await reader.close()
    await store.remove()
  })
}

const agentMembers = [
  'subject',
  'owner',
  'wallet',
  'profile',
  'registered_at',
  'feedback_at',
  'version_count',
  'feedback_count',
]
