import fc from 'fast-check'
import { expect, test } from 'vitest'
import { agentNumber, agentProtocol, agentSubject, formatAgentId } from '@attestry/core/model/agents.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { everyAgent, type AgentFilter } from '../agentQueries.ts'
import { endOf, everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { agentSteps, longAgentLife, generateAgentBlocks, registry, subjectAt } from './generatedAgents.ts'
import { addresses } from '@attestry/store/testing/generatedChain.ts'
import { historyRuns } from '@attestry/store/testing/historyShare.ts'
import { modelAgents, type ModelAgent } from './modelAgents.ts'
import {
  batchOf,
  exportOf,
  fillStore,
  identityOf,
  withStore,
  type CreateTestStore,
} from '@attestry/store/testing/storeFactory.ts'

export function testAgents(create: CreateTestStore, share: number): void {
  test('agents equal a model made from the events, under any filter', async () => {
    await fc.assert(
      fc.asyncProperty(agentSteps(60), agentSteps(30), async (one, two) => {
        const chains = new Map([
          [5, generateAgentBlocks(5, [], one, 'a')],
          [137, generateAgentBlocks(137, [], two, 'b')],
        ])
        const model = modelAgents(chains)
        await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
          await fillStore(writer, chains)
          for (const [filter, passes] of filters) {
            const found = await reader.listAgents({ ...everyAgent, ...filter }, { page: 1, size: 50 })
            const expected = model.filter(passes)
            expect({ filter, total: found.total, rows: found.rows.map(plain) }).toEqual({
              filter,
              total: expected.length,
              rows: expected,
            })
          }
        })
      }),
      { numRuns: historyRuns(25, share), verbose: 1 },
    )
  })

  test('the URIs of a chain are those of the histories of its agents, in the order of the events', async () => {
    await fc.assert(
      fc.asyncProperty(
        agentSteps(60),
        agentSteps(30),
        fc.integer({ min: 1, max: 7 }),
        async (one, two, limit) => {
          const chains = new Map([
            [5, generateAgentBlocks(5, [], one, 'a')],
            [137, generateAgentBlocks(137, [], two, 'b')],
          ])
          await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
            await fillStore(writer, chains)
            for (const chainId of [5, 137, 7]) {
              expect(await walkUris(reader, chainId, limit)).toEqual(await urisOfHistories(reader, chainId))
            }
          })
        },
      ),
      { numRuns: historyRuns(20, share), verbose: 1, examples: [[longAgentLife, [], 3]] },
    )
  })

  test('any reorganisation leaves the agents of a fresh index', async () => {
    await fc.assert(
      fc.asyncProperty(
        agentSteps(60),
        fc.nat(20),
        agentSteps(40),
        fc.integer({ min: 1, max: 5 }),
        async (life, revert, after, cut) => {
          const before = generateAgentBlocks(5, [], life, 'a')
          const kept = before.slice(0, Math.max(0, before.length - revert))
          const grown = generateAgentBlocks(5, kept, after, 'fork')
          const survived = await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
            await writer.openChain(identityOf(5))
            for (let from = 0; from < before.length; from += cut) {
              await writer.applyBlocks(5, batchOf(before.slice(from, from + cut)))
            }
            await writer.revertBlocks(5, kept.length - 1, unixMilliseconds(1))
            await writer.applyBlocks(5, batchOf(grown))
            return await contentOf(reader)
          })
          const fresh = await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
            await fillStore(writer, new Map([[5, [...kept, ...grown]]]))
            return await contentOf(reader)
          })
          expect(survived).toEqual(fresh)
        },
      ),
      {
        numRuns: historyRuns(40, share),
        verbose: 1,
        // Requests for a validation by an agent of a chain without agents.
        examples: [
          [[request], 1, [request], 1],
          [longAgentLife, 1, [], 3],
        ],
      },
    )
  })

  test('feedback goes to the owner of the agent at its log, and to the agent itself', async () => {
    const [owner, next] = [addresses[1], addresses[2]]
    if (owner === undefined || next === undefined) throw new Error('there are addresses')
    // Registration, feedback, transfer and feedback in one block.
    const life = [
      { kind: 0, gap: 0, agent: 0, who: 1, what: 0 },
      { kind: 8, gap: 0, agent: 0, who: 3, what: 0 },
      { kind: 1, gap: 0, agent: 0, who: 2, what: 1 },
      { kind: 8, gap: 0, agent: 0, who: 4, what: 0 },
    ]
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      await fillStore(writer, new Map([[5, generateAgentBlocks(5, [], life, 'a')]]))
      const agent = agentSubject(0n)
      expect((await writer.countRecords(5)).subjects).toEqual([
        { protocol: agentProtocol, count: 1, first: agent },
      ])
      expect(await writer.listSubjectCounts(5, agentProtocol, agent, 10)).toEqual(
        [addresses[3], addresses[4]]
          .toSorted((a, b) => (String(a) < String(b) ? -1 : 1))
          .map((account) => ({ subject: agent, account, count: 1 })),
      )
      expect(await writer.listSubjectCounts(5, agentProtocol, agentSubject(1n), 10)).toEqual([])
      const list = async (address: typeof owner) => {
        const recipient = { kind: 'address', address } as const
        const filter = { ...everyAttestation, recipient }
        const fields = { detail: false, schema: false }
        const { rows } = await reader.listAttestations({ filter }, { page: 1, size: 9 }, fields)
        return rows.map(({ attester }) => attester.toLowerCase())
      }
      expect([await list(owner), await list(next)]).toEqual([[addresses[3]], [addresses[4]]])
      const value = formatAgentId({ chainId: 5, subject: agentSubject(0n) }, registry)
      const recipient = { kind: 'value', value } as const
      expect(await reader.countAttestations({ ...everyAttestation, recipient })).toBe(2)
    })
  })
}

interface FoundUri {
  readonly uri: string
  readonly position: number
}

async function walkUris(reader: IndexReader, chainId: number, limit: number): Promise<readonly FoundUri[]> {
  const found: FoundUri[] = []
  for (let after: number | null = -1; after !== null;) {
    const slice = await reader.sliceAgentUris(chainId, after, limit)
    found.push(...slice.rows.map(({ uri, place }) => ({ uri, position: place.position })))
    after = slice.hasMore ? (endOf(slice)?.position ?? null) : null
  }
  return found
}

async function urisOfHistories(reader: IndexReader, chainId: number): Promise<readonly FoundUri[]> {
  const keys = [0, 1, 2, 3, 4].map((index) => ({ chainId, subject: subjectAt(index) }))
  const histories = await Promise.all(
    keys.map((key) => reader.listAgentHistory(key, { page: 1, size: 1_000 })),
  )
  return histories
    .flatMap(({ rows }) => rows)
    .flatMap((change) => ('uri' in change ? [{ uri: change.uri, position: change.position }] : []))
    .sort((a, b) => a.position - b.position)
}

const request = { kind: 7, gap: 0, agent: 0, who: 1, what: 0 }

const filters: readonly (readonly [Partial<AgentFilter>, (agent: ModelAgent) => boolean])[] = [
  [{}, () => true],
  [{ chainId: 137 }, (agent) => agent.chainId === 137],
  [{ owner: addresses[1] ?? null }, (agent) => agent.owner === addresses[1]],
  [{ active: true }, (agent) => agent.active === true],
  [{ active: false, chainId: 5 }, (agent) => agent.active === false && agent.chainId === 5],
  [{ hasFeedback: true }, (agent) => agent.feedbackCount > 0],
  [{ hasFeedback: false, active: true }, (agent) => agent.feedbackCount === 0 && agent.active === true],
  [
    { owner: addresses[2] ?? null, hasFeedback: true, chainId: 5 },
    (agent) => agent.owner === addresses[2] && agent.feedbackCount > 0 && agent.chainId === 5,
  ],
  [{ folded: 'ada' }, (agent) => agent.name === 'Ada'],
  [{ folded: 'bob' }, (agent) => agent.name.startsWith('Bob')],
  [{ folded: 'ada', chainId: 5 }, (agent) => agent.name === 'Ada' && agent.chainId === 5],
  [{ service: 'MCP', chainId: 5 }, (agent) => agent.name === 'Ada' && agent.chainId === 5],
  [{ service: 'mcp' }, () => false],
  [{ capability: 'tee', service: 'MCP' }, (agent) => agent.name === 'Ada'],
  [{ capability: 'MCP' }, () => false],
  [{ hasFile: true }, (agent) => agent.name !== ''],
  [{ hasFile: false, chainId: 5 }, (agent) => agent.name === '' && agent.chainId === 5],
  [{ folded: 'b', hasFeedback: true }, (agent) => agent.name.startsWith('Bob') && agent.feedbackCount > 0],
]

function plain(agent: Awaited<ReturnType<IndexReader['listAgents']>>['rows'][number]): ModelAgent {
  const { key, profile, place, registeredTransaction: _, updatedTimestamp: __, ...others } = agent
  const { uri: ___, uriTimestamp: ____, uriTransaction: _____, uriPosition: ______, ...rest } = others
  const { name, active } = profile
  const { chainId, subject } = key
  return { ...rest, chainId, agentId: agentNumber(subject), name, active, position: place.position }
}

/** All that reads of agents tell. */
export async function contentOf(reader: IndexReader): Promise<unknown> {
  const keys = [0, 1, 2, 3, 4].map((index) => ({ chainId: 5, subject: subjectAt(index) }))
  const page = { page: 1, size: 100 }
  const subjects = keys.map(({ subject }) => subject)
  return {
    lines: await exportOf(reader),
    agents: await reader.listAgents(everyAgent, page),
    counts: await Promise.all(
      [true, false].flatMap((hasFeedback) => reader.listAgents({ ...everyAgent, hasFeedback }, page)),
    ),
    whole: await reader.findAgents(keys, true),
    metadata: await reader.listAgentMetadata({ chainId: 5, subjects, names: null }, -1, 1_000),
    histories: await Promise.all(keys.map((key) => reader.listAgentHistory(key, page))),
    notes: await Promise.all(
      keys.flatMap(({ subject: agent }) =>
        (['feedbackResponse', 'validationRequest'] as const).map((kind) =>
          reader.listAgentNotes({ kind, chainId: 5, agent, targets: null }, page),
        ),
      ),
    ),
  }
}
