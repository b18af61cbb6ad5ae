import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventPosition } from '@attestry/core/model/position.ts'
import { chooseSpans, mergeSpans } from './chooseSpans.ts'
import { createSeededRandom } from '@attestry/core/model/createSeededRandom.ts'

test('spans are in order, apart, within the chain, and hold every sampled record, the newest block and what must be among them', () => {
  const block = fc.nat(5_000)
  fc.assert(
    fc.property(block, block, fc.array(block), fc.nat(), (a, b, blocks, seed) => {
      const [firstBlock, lastBlock] = [Math.min(a, b), Math.max(a, b)]
      const within = blocks.filter((each) => each >= firstBlock && each <= lastBlock)
      const also = within.slice(0, 2).map((each) => ({ fromBlock: each, toBlock: each + 7 }))
      const spans = chooseSpans({
        firstBlock,
        lastBlock,
        records: within.map((each) => eventPosition(each, 3)),
        also,
        random: createSeededRandom(seed),
      })
      for (const [index, span] of spans.entries()) {
        expect(span.fromBlock).toBeGreaterThan((spans[index - 1]?.toBlock ?? firstBlock - 2) + 1)
        expect(span.toBlock).toBeGreaterThanOrEqual(span.fromBlock)
        expect(span.toBlock).toBeLessThanOrEqual(lastBlock)
      }
      const needed = [...within, lastBlock, ...also.map(({ toBlock }) => Math.min(toBlock, lastBlock))]
      for (const each of needed) {
        expect(spans.some(({ fromBlock, toBlock }) => fromBlock <= each && each <= toBlock)).toBe(true)
      }
    }),
  )
})

test('the same seed draws the same spans, another one others', () => {
  const draw = (seed: number) =>
    chooseSpans({
      firstBlock: 0,
      lastBlock: 10 ** 7,
      records: [],
      also: [],
      random: createSeededRandom(seed),
    })
  expect(draw(5)).toEqual(draw(5))
  expect(draw(5)).not.toEqual(draw(6))
})

test('spans that touch become one', () => {
  expect(
    mergeSpans([
      { fromBlock: 5, toBlock: 9 },
      { fromBlock: 1, toBlock: 4 },
      { fromBlock: 11, toBlock: 12 },
      { fromBlock: 7, toBlock: 3 },
    ]),
  ).toEqual([
    { fromBlock: 1, toBlock: 9 },
    { fromBlock: 11, toBlock: 12 },
  ])
})
