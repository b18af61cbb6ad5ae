import { expect, test } from 'vitest'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { eventPosition, positionBlock } from '@attestry/core/model/position.ts'
import { createSeededRandom } from '@attestry/core/model/createSeededRandom.ts'
import type { StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { createSpanSample, missProbability } from './sampleSpans.ts'

/** Events whose only meaning is their block. */
function eventsIn(...blocks: readonly number[]): StoredEvent[] {
  return blocks.map((block, index) => ({
    event: { kind: 'metadataSet', position: eventPosition(block, index) } as DomainEvent,
    storedAt: null,
    settled: null,
    revocation: null,
  }))
}

test('spans part all blocks of a chain, each with all events of its blocks', () => {
  const sample = createSpanSample(10, 1_000, Math.random)
  sample.add(eventsIn(10, 10, 12))
  sample.add(eventsIn(12, 3_500))
  const spans = sample.finish(3_600)
  expect(spans.map(({ fromBlock, toBlock, events }) => [fromBlock, toBlock, events.length])).toEqual([
    [10, 11, 2],
    [12, 1_011, 2],
    [1_012, 2_011, 0],
    [2_012, 3_011, 0],
    [3_012, 3_499, 0],
    [3_500, 3_600, 1],
  ])
  expect(sample.spans()).toBe(6)
})

test('each span is drawn with the same chance, and misses are as many as the docs say', () => {
  const random = createSeededRandom(7)
  const [rounds, blocks, size] = [4_000, 50, 5]
  const drawn = new Array<number>(blocks).fill(0)
  let missed = 0
  for (let round = 0; round < rounds; round++) {
    const sample = createSpanSample(0, size, random)
    for (let block = 0; block < blocks; block++) sample.add(eventsIn(block))
    const spans = sample.finish(blocks - 1)
    expect(spans.length).toBe(size)
    for (const { fromBlock } of spans) drawn[fromBlock] = (drawn[fromBlock] ?? 0) + 1
    // A tenth of the blocks holds a lie.
    if (spans.every(({ events }) => events.every(({ event }) => positionBlock(event.position) % 10 !== 3)))
      missed += 1
  }
  // Five standard deviations of a binomial distribution.
  for (const count of drawn)
    expect(Math.abs(count - (rounds * size) / blocks)).toBeLessThan(5 * Math.sqrt(rounds * 0.1 * 0.9))
  expect(missed / rounds).toBeLessThanOrEqual(missProbability(0.1, size))
})

test('a span with a record that is revoked without an event is in every sample', () => {
  const born = (block: number, kind: 'none' | 'claimed' | 'made'): StoredEvent => {
    const key = { chainId: 5, localId: `0x${block}` }
    const attestation = { protocol: 'sign', key, revocationAtRead: { kind, timestamp: 9n } }
    const event = { kind: 'attestationMade', position: eventPosition(block, 0), attestation }
    return { event: event as unknown as DomainEvent, storedAt: null, settled: null, revocation: null }
  }
  for (let round = 0; round < 20; round++) {
    const sample = createSpanSample(0, 2, Math.random)
    for (let block = 0; block < 50; block++) {
      sample.add([born(block, block === 7 ? 'made' : block === 9 ? 'claimed' : 'none')])
    }
    const blocks = sample.finish(49).map(({ fromBlock }) => fromBlock)
    expect(blocks).toEqual(expect.arrayContaining([7, 9]))
    expect(blocks).toHaveLength(4)
  }
  const none = createSpanSample(0, 0, Math.random)
  none.add([born(0, 'made')])
  expect(none.finish(3)).toEqual([])
})
