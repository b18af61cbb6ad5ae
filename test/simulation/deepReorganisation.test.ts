import { expect, onTestFinished, test } from 'vitest'
import { firstCases } from '../harness/nightly.ts'
import { followChain } from './followChain.ts'

const contracts = { name: 'Shallow', sign: 0, eas: null, transactionSenders: false }

interface Reorganisation {
  readonly grown: number
  readonly depth: number
  readonly finality: number
  /** How long each answer takes: what takes seconds is committed in parts. */
  readonly latencyMs?: number
}

/**
 * An index that has reached the head of a chain, which then grows by `grown` blocks and, right before one of the
 * requests that the index sends next, replaces `depth`.
 */
async function reorganiseBefore(request: number, { grown, depth, finality, latencyMs = 0 }: Reorganisation) {
  let left = Number.POSITIVE_INFINITY
  const index = followChain({
    chain: { seed: 5, blocks: 60 },
    contracts,
    finality,
    logRangeInitialBlocks: 40,
    // Only block numbers locate a log, because the headers' blooms are empty.
    characters: [
      { bloom: 'empty', logRange: { max: 40, refusal: 0 }, latencyMs: { min: latencyMs, max: latencyMs } },
    ],
    onRequest(_, chain) {
      left--
      if (left === 0) chain.reorganise(depth, depth + 1)
    },
  })
  onTestFinished(index.remove)
  await index.settle()
  index.chain.mine(grown)
  left = request
  await index.settle()
  if (left > 0) return 'nothing happened'
  const { phase, lastError } = index.status()
  if (phase === 'stopped')
    return lastError?.includes('reorganised deeper than') === true ? 'stopped' : lastError
  const differences = await index.compare()
  return differences.length === 0 ? 'right' : `before request ${request}: ${differences.join('; ')}`
}

const changes: readonly Reorganisation[] = [
  { grown: 10, depth: 14, finality: 4 },
  { grown: 220, depth: 190, finality: 150 },
  { grown: 300, depth: 302, finality: 4, latencyMs: 1_000 },
  { grown: 10, depth: 16, finality: 4 },
  { grown: 200, depth: 202, finality: 4 },
  { grown: 300, depth: 200, finality: 4, latencyMs: 1_000 },
]

test.each(firstCases(2, changes))(
  'between whichever two requests $depth of $grown new blocks are replaced, the index is right in the end or stops for it',
  async (change) => {
    const outcomes: (string | null)[] = []
    while (outcomes.at(-1) !== 'nothing happened') {
      outcomes.push(await reorganiseBefore(outcomes.length + 1, change))
    }
    expect(outcomes.length).toBeGreaterThan(8)
    expect(outcomes).toContain('stopped')
    expect(
      outcomes.filter((outcome) => !['right', 'stopped', 'nothing happened'].includes(outcome ?? '')),
    ).toEqual([])
  },
)
