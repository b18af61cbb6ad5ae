import { keccak256, toBytes } from 'viem'
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
  characters: NonNullable<FollowOptions['characters']>,
  more: Partial<FollowOptions> = {},
) {
  const index = followChain({ ...options, contracts, characters, ...more })
  onTestFinished(index.remove)
  await index.settle()
  // A difference takes the index back, and it settles anew.
  await index.pass(15_000)
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
  const expected = await wholeLinesOf(contracts)
  const [found, wanted] = [new Set(lines), new Set(expected)]
  return [
    ...expected.filter((line) => !found.has(line)).map((line) => `missing: ${line.slice(0, 200)}`),
    ...lines.filter((line) => !wanted.has(line)).map((line) => `too many: ${line.slice(0, 200)}`),
  ]
}

async function wholeLinesOf(contracts: FollowOptions['contracts']): Promise<readonly string[]> {
  const known = wholeLines.get(contracts.name)
  if (known !== undefined) return known
  const whole = followChain({ ...options, contracts, characters: [{}] })
  await whole.settle()
  const lines = await eventLines(whole)
  await whole.remove()
  wholeLines.set(contracts.name, lines)
  return lines
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
const silentWithin = (fromBlock: number, toBlock: number, byHash = false): Character => ({
  leavesOut: { kind: 'within', fromBlock, toBlock, byHash },
})
const silent = silentWithin(0, 1_299)
const leavesOut = (value: string, byHash = false): Character => ({ leavesOut: { kind: 'of', value, byHash } })
const topicOf = (event: string) => keccak256(toBytes(event))
const registeredTopic = topicOf('Registered(uint256,string,address)')
const feedbackTopic = topicOf(
  'NewFeedback(uint256,address,uint64,int128,uint8,string,string,string,string,string,bytes32)',
)

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

test.each([
  ['below some block', [silent]],
  ['in the middle', [silentWithin(700, 1_299)]],
  ['about one kind of logs', [leavesOut(topicOf('Revoked(address,address,bytes32,bytes32)'))]],
  ['from some moment on', [() => (++asked > 30 ? silentWithin(0, 1_990) : {})]],
  ['each in other blocks', [silent, silentWithin(1_400, 1_900)]],
  ['in the same blocks', [silent, silent]],
] as const)(
  'endpoints that are silent %s by the numbers of blocks are a defect',
  async (_, characters: readonly (Character | (() => Character))[]) => {
    asked = 0
    const { defect, history } = await indexThrough(eas, characters)
    expect(defect?.text).toMatch(/^logs are missing from the index, such as those of block \d+: /)
    expect(history).toMatchObject([{ completeness: 'unverified', reason: defect?.text }])
  },
)
let asked = 0

test.each([
  ['by their blooms', silentWithin(0, 1_299, true), /^the headers of some blocks announce logs/],
  [
    'by the schemas that attestations name',
    leavesOut(topicOf('Registered(bytes32,address,(bytes32,address,bool,string))'), true),
    /^the events of the index, which begins at block 0, name \d\d schemas and 0 attestations that it lacks$/,
  ],
  [
    'by the revoked attestations',
    { ...silentWithin(0, 1_299, true), bloom: 'full' },
    /name \d\d schemas and [1-9] attestations that it lacks$/,
  ],
] as const)('logs that one endpoint gives in no way are doubted %s', async (_, character, reason) => {
  const { history } = await indexThrough(eas, [character])
  expect(history).toMatchObject([
    { completeness: 'unverified', reason: expect.stringMatching(reason) as unknown },
  ])
})

test.each(['full', 'wrong', 'empty'] as const)('%s blooms say nothing', async (bloom) => {
  const { history } = await indexThrough(eas, [{ bloom }])
  expect(history).toMatchObject([{ completeness: 'split', reason: null }])
})

test('agents that no endpoint reports are a defect', async () => {
  const { defect, history } = await indexThrough(agents, [silent])
  expect(defect?.text).toMatch(/^agents number 0 to \d+ of the erc8004 contract .* are missing/)
  expect(history).toMatchObject([{ completeness: 'unverified', reason: defect?.text }])
})

test('agents and feedback are counted', async () => {
  const { history, index } = await indexThrough(agents, [{}])
  const { chain } = index
  const records = chain.events(chain.view(), 0, chain.head()).filter(({ kind, ...event }) => {
    const topic = kind === 'agent' && 'log' in event ? event.log.topics[0] : null
    return topic === feedbackTopic || topic === registeredTopic
  }).length
  expect(history).toMatchObject([{ completeness: 'counted', records, reason: null }])
})

test('feedback that an endpoint leaves out is read from another one', async () => {
  const { defect, history } = await indexThrough(agents, [leavesOut(feedbackTopic, true), {}])
  expect(defect).toBeNull()
  expect(history).toMatchObject([{ completeness: 'counted' }])
})

test('feedback that every endpoint leaves out is a defect', async () => {
  const { defect, history } = await indexThrough(agents, [leavesOut(feedbackTopic, true)])
  expect(defect?.text).toMatch(
    /^\d of \d entries of feedback by 0x\w{40} for agent \d of the contract .* are missing/,
  )
  expect(history).toMatchObject([{ completeness: 'unverified', reason: defect?.text }])
})

test('blocks are followed while a long history is checked', async () => {
  const slow = {
    ...leavesOut(feedbackTopic, true),
    latencyMs: { min: 200, max: 200 },
    logRange: { max: 5, refusal: 0 },
  }
  const index = followChain({ ...options, contracts: agents, characters: [slow] })
  onTestFinished(index.remove)
  await index.settle()
  for (let block = 0; block < 5; block++) {
    index.chain.mine(1)
    await index.pass(3_000)
    expect(index.status()).toMatchObject({ indexedBlock: index.chain.head(), history: [] })
  }
  await index.pass(600_000)
  expect(index.status().history).toMatchObject([{ protocol: 'erc8004' }])
})

test('the tests take at most 2 % of the requests of a backfill', async () => {
  const width = 10
  const blocks = 20_000
  let [requests, requestsForLogs] = [0, 0]
  const index = followChain({
    ...options,
    chain: { ...options.chain, blocks },
    contracts: eas,
    characters: [{}, {}].map(() => ({ logRange: { max: width, refusal: 0 } })),
    logRangeInitialBlocks: width,
    onRequest: (body) => {
      requests++
      const { method, params } = JSON.parse(body) as { method?: string; params?: { toBlock?: string }[] }
      // The newest blocks are read in other ways.
      if (method === 'eth_getLogs' && Number(params?.[0]?.toBlock) < blocks - 200) requestsForLogs++
    },
  })
  onTestFinished(index.remove)
  await index.settle()
  await index.pass(5_000)
  expect(index.status().history).toMatchObject([{ protocol: 'eas', sample: { kind: 'compared' } }])
  expect(requestsForLogs - (blocks - 200) / width).toBeLessThan(0.02 * requests)
})
