import { expect, onTestFinished, test } from 'vitest'
import { noEvents } from '../simulator/simulatedChain.ts'
import type { EndpointCharacter } from '../simulator/simulatedEndpoint.ts'
import { followChain, type FollowedChain } from './followChain.ts'

const late = (byRange: number, byHash = byRange) => ({ logsLateMs: { byRange, byHash } })

const never = 1e12

test.each<{
  readonly what: string
  readonly character: Partial<EndpointCharacter>
  /** Whether the blocks are read without the logs at first, and once more with them. */
  readonly isMended: boolean
}>([
  { what: 'by range and by hash', character: late(2_500), isMended: false },
  { what: 'by range alone', character: late(2_500, 0), isMended: false },
  { what: 'by hash alone', character: late(0, 2_500), isMended: false },
  { what: 'with empty blooms', character: { ...late(2_500), bloom: 'empty' }, isMended: true },
  { what: 'with full blooms', character: { ...late(2_500), bloom: 'full' }, isMended: true },
  { what: 'with wrong blooms', character: { ...late(2_500), bloom: 'wrong' }, isMended: true },
  { what: 'by a minute', character: late(60_000), isMended: true },
  { what: 'of one receipt in each block', character: { receiptLateMs: 2_500 }, isMended: true },
  {
    what: 'of one receipt, with empty blooms',
    character: { receiptLateMs: 30_000, bloom: 'empty' },
    isMended: true,
  },
])('logs that come late $what are all indexed', async ({ character, isMended }) => {
  const index = await followLate([character])
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(index.status().blocksMended > 0).toBe(isMended)
  expect(mendsOf(index)).toHaveLength(index.status().blocksMended)
  expect(await index.compare()).toEqual([])
})

test('log indexes that come wrong and settle later are those of the index in the end', async () => {
  const index = await followLate([{ indexesLateMs: 20_000 }])
  expect(index.status().blocksMended).toBeGreaterThan(0)
  expect(await index.compare()).toEqual([])
})

test.each([1, 0])('an endpoint that lacks the logs of every block hides none of another one', async (at) => {
  const liar = { ...late(never), bloom: 'empty' } as const
  const index = await followLate([at === 0 ? liar : {}, at === 1 ? liar : {}])
  expect(index.status()).toMatchObject({ phase: 'following', lastError: null })
  expect(await index.compare()).toEqual([])
})

test('an endpoint with intermittent logs hides none for ever, and is logged at most 3 times per block', async () => {
  let turn = 0
  const index = await followLate([
    () => (turn++ % 3 === 0 ? { ...late(never), bloom: 'empty' } : { bloom: 'empty' }),
  ])
  expect(index.status()).toMatchObject({ phase: 'following', indexedBlock: index.chain.head() })
  const told = Map.groupBy(mendsOf(index), (line) => /block (\d+) has/.exec(line)?.[1])
  for (const lines of told.values()) expect(lines.length).toBeLessThanOrEqual(3)
})

test('values read at a block with late logs no longer count after the block is replaced', async () => {
  let isLate = true
  const events = { ...noEvents, signSchema: 1, signAttestation: 6, signRevocation: 5 }
  const verax = { veraxSchema: 1, veraxContext: 8 }
  const index = followChain({
    chain: { seed: 5, blocks: 40, shape: { blocks: 8, eventBlocks: 8, events: { ...events, ...verax } } },
    contracts: { name: 'Late', sign: 0, verax: 0, eas: null, transactionSenders: false },
    finality: 12,
    characters: [() => (isLate ? { ...late(90_000), bloom: 'empty' } : {})],
  })
  onTestFinished(index.remove)
  await index.settle()
  for (let turn = 0; turn < 30; turn++) {
    await index.pass(48_000)
    index.chain.mine(4)
    await index.pass(5_000)
    if (turn % 3 === 2) index.chain.reorganise(3, 3)
  }
  isLate = false
  index.chain.mine(13)
  for (let minute = 0; minute < 5; minute++) {
    await index.settle()
    await index.pass(61_000)
  }
  expect(await index.compare()).toEqual([])
})

function mendsOf({ logged }: FollowedChain): readonly string[] {
  return logged.filter((line) => line.includes('has other logs, now that it is final'))
}

/** An index that has followed a chain with records in every block, until all that it followed is final. */
async function followLate(
  characters: readonly (Partial<EndpointCharacter> | (() => Partial<EndpointCharacter>))[],
): Promise<FollowedChain> {
  const events = { ...noEvents, signSchema: 1, signAttestation: 20, signRevocation: 3, easAttestation: 5 }
  let isLate = true
  const index = followChain({
    chain: { seed: 3, blocks: 100, blockTime: 12, shape: { blocks: 20, eventBlocks: 13, events } },
    contracts: { name: 'Late', sign: 0, eas: 0, transactionSenders: false },
    finality: 12,
    characters: characters.map((character) => () => {
      if (!isLate) return {}
      return typeof character === 'function' ? character() : character
    }),
  })
  onTestFinished(index.remove)
  await index.settle()
  for (let block = 0; block < 80; block++) {
    await index.pass(12_000)
    index.chain.mine(1)
  }
  // Blocks that are not final yet may lack logs still.
  isLate = false
  index.chain.mine(13)
  for (let minute = 0; minute < 5; minute++) await index.pass(60_000)
  await index.settle()
  return index
}
