import fc from 'fast-check'
import { test } from 'vitest'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import type { CreateQueryStore } from '@attestry/store/testing/indexQueriesContract.ts'
import { momentOf, moments, withStopped } from '@attestry/store/testing/indexPastContract.ts'
import { agentIdentity, expectPastAgents } from './expectPastAgents.ts'
import { agentSteps, generateAgentBlocks, longAgentLife } from './generatedAgents.ts'

const agentChain = 5

export function testAgentsAsOf(create: CreateQueryStore, share: number): void {
  test('agents are those of an index that stopped there', async () => {
    await fc.assert(
      fc.asyncProperty(agentSteps(60), moments, async (life, asked) => {
        const chains = new Map([[agentChain, generateAgentBlocks(agentChain, [], life, 'a')]])
        const run = async (reader: IndexReader) => {
          for (const each of asked) {
            const { moment, stopped } = momentOf(chains, { ...each, chain: each.chain && 0 })
            const compare = (then: IndexReader) => expectPastAgents(reader.asOf(moment), then, agentChain)
            await withStopped(create, 4, stopped, compare, agentIdentity)
          }
        }
        await withStopped(create, 4, chains, run, agentIdentity)
      }),
      {
        numRuns: historyRuns(20, share),
        verbose: 1,
        examples: [[longAgentLife, [{ chain: 0, share: 19, knowsTime: true }]]],
      },
    )
  })
}
