import { expect, onTestFinished, test } from 'vitest'
import { describeHistory } from '@attestry/core/model/chainState.ts'
import type { EndpointCharacter } from '../simulator/simulatedEndpoint.ts'
import { noEvents } from '../simulator/simulatedChain.ts'
import { followChain, type FollowedChain, type FollowOptions } from './followChain.ts'

type Character = Partial<EndpointCharacter>

const agents = { name: 'Agents', sign: null, eas: null, agents: 0, transactionSenders: false }
const eas = { name: 'EAS', sign: null, eas: 0, transactionSenders: false }
const several = { name: 'Several', sign: 0, eas: 0, verax: 0, transactionSenders: false }

const events = {
  ...noEvents,
  signSchema: 1,
  signAttestation: 4,
  signRevocation: 1,
  easSchema: 1,
  easAttestation: 5,
  easRevocation: 2,
  veraxPortal: 1,
  veraxSchema: 1,
  veraxAttestation: 3,
  agentRegistration: 2,
  agentLog: 3,
}

const options = {
  chain: {
    seed: 11,
    blocks: 2_000,
    shape: { blocks: 40, eventBlocks: 12, events },
    hasUnreadable: false,
    legacySignBelow: 0,
  },
  finality: 12,
}

/** Indexes a chain of 2,000 blocks through endpoints of these characters until it follows the head. */
async function indexThrough(
  contracts: FollowOptions['contracts'],
  characters: readonly Character[],
  more: Partial<FollowOptions> = {},
) {
  const index = followChain({ ...options, contracts, characters, ...more })
  onTestFinished(index.remove)
  await index.settle()
  // A difference takes the index back, and it settles anew.
  await index.pass(5_000)
  await index.settle()
  const reader = index.openReader()
  const [chain] = await reader.listChains()
  await reader.close()
  const history = chain === undefined ? [] : describeHistory(chain.contracts, chain.status, chain.defect)
  return {
    index,
    defect: chain?.defect ?? null,
    history,
    problems: () => ('agents' in contracts ? compareWhole(index, contracts) : index.compare()),
  }
}

const wholeLines = new Map<string, readonly string[]>()

/** The lines of events in which an index and one through an honest endpoint differ. */
async function compareWhole(index: FollowedChain, contracts: FollowOptions['contracts']) {
  const lines = await eventLines(index)
  let expected = wholeLines.get(contracts.name)
  if (expected === undefined) {
    const whole = followChain({ ...options, contracts, characters: [{}] })
    await whole.settle()
    expected = await eventLines(whole)
    await whole.remove()
    wholeLines.set(contracts.name, expected)
  }
  const [found, wanted] = [new Set(lines), new Set(expected)]
  return [
    ...expected.filter((line) => !found.has(line)).map((line) => `missing: ${line.slice(0, 200)}`),
    ...lines.filter((line) => !wanted.has(line)).map((line) => `too many: ${line.slice(0, 200)}`),
  ]
}

async function eventLines(index: FollowedChain): Promise<readonly string[]> {
  const lines = await index.readLines()
  return lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ type }) => !['block', 'end', 'chain', 'header'].includes(String(type)))
    .map(({ syncAt: _syncAt, lastSyncAt: _lastSyncAt, ...line }) => JSON.stringify(line))
}

const capped = (max: number, keeps: 'first' | 'last' = 'first'): Character => ({
  leavesOut: { kind: 'beyond', max, keeps },
})
const silent: Character = { leavesOut: { kind: 'below', block: 1_300 } }

test.each([
  ['honest, one endpoint', [{}], 'split'],
  ['honest, two endpoints', [{}, {}], 'compared'],
] as const)('%s', async (_, characters, completeness) => {
  const { history, defect, problems } = await indexThrough(eas, characters)
  expect(defect).toBeNull()
  expect(history).toMatchObject([{ completeness, reason: null }])
  expect(history[0]?.blocks).toBeGreaterThan(0)
  expect(history[0]?.logs).toBeGreaterThan(0)
  expect(await problems()).toEqual([])
})

test.each([7, 20, 33])('one endpoint that gives the first %i logs of a range loses none', async (max) => {
  const { problems, defect } = await indexThrough(agents, [capped(max)])
  expect(defect).toBeNull()
  expect(await problems()).toEqual([])
})

test('one endpoint that gives the last 20 logs of a range loses none', async () => {
  const { problems, defect } = await indexThrough(eas, [capped(20, 'last')])
  expect(defect).toBeNull()
  expect(await problems()).toEqual([])
})

test('an endpoint that gives one log of a range is a defect, with its blocks', async () => {
  const { defect } = await indexThrough(eas, [capped(1)])
  expect(defect?.text).toMatch(/not all logs of the blocks (\d+(, )?)+/)
})

test.each([
  ['a cap', capped(20)],
  ['silence', silent],
  ['the loss of every 3rd log', { leavesOut: { kind: 'every', nth: 3 } }],
] as const)('%s of the first endpoint costs nothing beside a healthy one', async (_, character) => {
  for (const contracts of [eas, agents, several]) {
    const { problems, defect } = await indexThrough(contracts, [character, {}])
    expect(defect).toBeNull()
    expect(await problems()).toEqual([])
  }
})

test('two silent endpoints before a healthy one cost nothing', async () => {
  const { problems, defect } = await indexThrough(eas, [silent, silent, {}])
  expect(defect).toBeNull()
  expect(await problems()).toEqual([])
})

test('agents that no endpoint tells of are a defect', async () => {
  const { defect, history } = await indexThrough(agents, [silent])
  expect(defect?.text).toMatch(/^agents number 0 to \d+ of the erc8004 contract .* are missing/)
  expect(history).toMatchObject([{ completeness: 'unverified', reason: defect?.text }])
})
