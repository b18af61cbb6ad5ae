import { expect, onTestFinished, test } from 'vitest'
import { noEvents, usualShape } from '../simulator/simulatedChain.ts'
import { followChain, type FollowOptions } from './followChain.ts'

test('logs that a pruned node lacks are read from another one, and the pruned one is asked only for recent logs', async () => {
  const index = await indexThrough([{ logBlocks: 400 }, {}])
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(namedPruned(index.logged)).toEqual(['e0.example'])
  expect(await index.compare()).toEqual([])
})

test('so it is where the pruned node has next to no logs, whatever else it has', async () => {
  const index = await indexThrough([{ logBlocks: 140 }, {}], { sign: 0, eas: 0 })
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(namedPruned(index.logged)).toEqual(['e0.example'])
  expect(await index.compare()).toEqual([])
})

test('and where all but the last of many are pruned', async () => {
  const index = await indexThrough([{ logBlocks: 200 }, { logBlocks: 700 }, { logBlocks: 1_400 }, {}])
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(namedPruned(index.logged)).toEqual(['e0.example', 'e1.example', 'e2.example'])
  expect(await index.compare()).toEqual([])
})

test('and where the one that is not says for a while that it serves another chain', async () => {
  let asked = 0
  const astray = () => ({ chainId: asked++ < 4 ? 7 : 31_337 })
  const index = await indexThrough([{ logBlocks: 400 }, astray])
  expect(index.logged.join('\n')).toContain('"kind":"wrongChain","host":"e1.example"')
  expect(index.logged.join('\n')).toContain('waiting for e1.example')
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(await index.compare()).toEqual([])
})

test.each([
  { first: 55, block: 98, blocks: 400, finality: 12 },
  { first: 55, block: 114, blocks: 400, finality: 12 },
  { first: 55, block: 130, blocks: 400, finality: 12 },
  { first: 55, block: 146, blocks: 321, finality: 150 },
  // This block is the newest final one.
  { first: 62, block: 97, blocks: 247, finality: 150 },
  { first: 136, block: 171, blocks: 321, finality: 150 },
])(
  'block $block of $blocks, the last of a range, is not committed while the next one may tell that a record of it was kept back',
  async ({ first, block, blocks, finality }) => {
    let request = ''
    // A range ends with the block. Answers take so long that each is due.
    const latencyMs = { min: 500, max: 500 }
    const ofBlock = new RegExp(`eth_getLogs.*"toBlock":"0x${block.toString(16)}"`)
    const forgetful = () => ({ latencyMs, logBlocks: ofBlock.test(request) ? 100 : null })
    const index = followChain({
      chain: { seed: 5, blocks, shape: usualShape, hasUnreadable: false, legacySignBelow: 0 },
      contracts: { name: 'Forgetful', sign: first, eas: null, transactionSenders: false },
      finality,
      logRangeInitialBlocks: 1,
      characters: [forgetful, { latencyMs }],
      onRequest: (body) => {
        request = body
      },
    })
    onTestFinished(index.remove)
    await index.settle()
    expect(index.logged.join('\n')).toMatch(/ were kept back by an endpoint: reading again/)
    expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
    expect(await index.compare()).toEqual([])
  },
)

test('if a contract is followed from a later block on, earlier records do not count as missing', async () => {
  const index = await indexThrough([{}, {}], { sign: 777, eas: null })
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(namedPruned(index.logged)).toEqual([])
  expect(await index.compare()).toEqual([])
})

test('a pruned node is found out from any first block on', async () => {
  const index = await indexThrough([{ logBlocks: 400 }, {}], { sign: 777, eas: null })
  expect(namedPruned(index.logged)).toEqual(['e0.example'])
  expect(await index.compare()).toEqual([])
})

test('so it is on a chain whose final blocks are few, the first of them forgotten already', async () => {
  const index = await indexThrough(
    [{ logBlocks: 140 }, {}],
    { sign: 0, eas: null },
    { blocks: 180, finality: 60 },
  )
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(namedPruned(index.logged)).toEqual(['e0.example'])
  expect(await index.compare()).toEqual([])
})

test('the state of the chain reports logs that no endpoint has, and all others are indexed', async () => {
  const index = await indexThrough([{ logBlocks: 400 }])
  const reader = index.openReader()
  const [chain] = await reader.listChains()
  await reader.close()
  expect(index.status()).toMatchObject({ phase: 'following', indexedBlock: 2_000 })
  expect(chain?.defect).toMatchObject({ fromBlock: expect.any(Number), toBlock: expect.any(Number) })
  expect(chain?.status.lastError).toMatch(
    /^(schemas|attestations) .* are missing from the index: no endpoint gives their logs$/,
  )
  expect(namedPruned(index.logged)).toEqual([])
  const lines = await index.readLines()
  const attestations = index.chain
    .events(index.chain.view(), 1_601, 2_000)
    .filter((event) => event.kind === 'signAttestation')
  expect(lines.filter((line) => line.startsWith('{"type":"attestation"'))).toHaveLength(attestations.length)
})

test('logs and records that cannot be read keep nothing back', async () => {
  const index = await indexThrough([{}, {}], { sign: 0, eas: 0 }, { isOdd: true })
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(namedPruned(index.logged)).toEqual([])
  expect(await index.compare()).toEqual([])
})

/** Indexes a chain, of 2,000 blocks as a rule, through endpoints of these characters, until it follows the head. */
async function indexThrough(
  characters: NonNullable<FollowOptions['characters']>,
  contracts: { readonly sign: number; readonly eas: number | null } = { sign: 0, eas: null },
  { isOdd = false, blocks = 2_000, finality = 12 } = {},
) {
  const events = {
    ...noEvents,
    ...usualShape.events,
    easSchema: 1,
    easAttestation: 5,
    malformed: isOdd ? 2 : 0,
  }
  const index = followChain({
    chain: {
      seed: 5,
      blocks,
      shape: { ...usualShape, events },
      hasUnreadable: isOdd,
      legacySignBelow: isOdd ? 1_000 : 0,
    },
    contracts: { name: 'Pruned', ...contracts, transactionSenders: false },
    finality,
    characters,
  })
  onTestFinished(index.remove)
  await index.settle()
  return index
}

/** The endpoints that were found to have forgotten logs. */
function namedPruned(logged: readonly string[]): readonly string[] {
  return logged.flatMap((line) => /"kind":"logsForgotten","host":"([^"]+)"/.exec(line)?.[1] ?? []).toSorted()
}
