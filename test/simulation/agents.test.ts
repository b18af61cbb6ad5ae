import { expect, test } from 'vitest'
import { everyAgent } from '@attestry/agents/projection/agentQueries.ts'
import { createRandom, mixSeeds } from '../simulator/random.ts'
import { noEvents, type SimulatedChain } from '../simulator/simulatedChain.ts'
import { followChain, type FollowedChain } from './followChain.ts'

/** Few blocks have many events: an agent is transferred in the block of its feedback. */
const shape = {
  blocks: 20,
  eventBlocks: 5,
  events: { ...noEvents, agentRegistration: 1, agentLog: 14 },
}

test.each([1, 2, 3, 4])(
  'agents that lived through reorganisations are those of an index made anew (seed %i)',
  async (seed) => {
    const random = createRandom(mixSeeds(seed, 0xa9e7))
    const options = {
      chain: { seed, blocks: 45, shape },
      contracts: { name: 'Simulated', sign: null, eas: null, agents: 0, transactionSenders: false },
      finality: random.pick([12, 40]),
      logRangeInitialBlocks: random.pick([3, 100]),
    }
    const [lived, anew] = [followChain(options), followChain(options)]
    try {
      for (let step = 0; step < 12; step++) {
        if (random.chance(0.7)) await lived.settle()
        const depth = random.integer(1, 10)
        const blocks = random.integer(1, 6)
        const change = random.chance(0.6)
          ? (chain: SimulatedChain) => chain.reorganise(depth, depth + blocks)
          : (chain: SimulatedChain) => chain.mine(blocks)
        for (const { chain } of [lived, anew]) change(chain)
      }
      await Promise.all([lived.settle(), anew.settle()])
      const [content, expected] = [await contentOf(lived), await contentOf(anew)]
      expect(content).toEqual(expected)
      const { agents, lines } = expected
      expect(agents.total).toBeGreaterThanOrEqual(3)
      expect(agents.rows.some(({ feedbackCount }) => feedbackCount > 0)).toBe(true)
      for (const type of ['schema', 'attestation', 'metadata', 'undecodable']) {
        expect(lines.some((line) => line['type'] === type)).toBe(true)
      }
      expect(lines.some(({ revoked }) => revoked === true)).toBe(true)
      const given = new Set(
        lines.flatMap(({ type, blockNumber }) => (type === 'attestation' ? [blockNumber] : [])),
      )
      expect(
        lines.some(({ body, blockNumber }) => /"transferred"/.test(String(body)) && given.has(blockNumber)),
      ).toBe(true)
      // A revocation before its feedback revokes nothing.
      expect(
        lines.some(({ type, attestationId }) => type === 'undecodable' && attestationId !== undefined),
      ).toBe(true)
    } finally {
      await Promise.all([lived.remove(), anew.remove()])
    }
  },
)

/** The agents, with what belongs to each, and the lines of the export without the times of storing. */
async function contentOf(index: FollowedChain) {
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  const reader = index.openReader()
  const page = { page: 1, size: 1_000 }
  const agents = await reader.listAgents(everyAgent, page)
  const histories = await Promise.all(agents.rows.map(({ key }) => reader.listAgentHistory(key, page)))
  const { chainId } = index.chain
  const notes = await Promise.all(
    (['feedbackResponse', 'validationRequest'] as const).map((kind) =>
      reader.listAgentNotes({ kind, chainId, agent: null, targets: null }, page),
    ),
  )
  const metadata = await reader.listAgentMetadata({ chainId, subjects: null, names: null }, -1, 1_000)
  await reader.close()
  // The remembered blocks, and so the checksum of the lines, depend on when the index read them.
  const lines = (await index.readLines())
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => type !== 'block' && type !== 'end')
    .map(({ syncAt: _syncAt, lastSyncAt: _lastSyncAt, ...line }) => line)
  return { agents, histories, notes, metadata, lines }
}
