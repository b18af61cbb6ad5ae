import { expect, test } from 'vitest'
import { createSeededRandom } from '../model/createSeededRandom.ts'
import { nextPollMs, noRhythm, notePoll, type HeadRhythm } from './headRhythm.ts'

const startMs = 1_750_000_000_000

test('blocks in a steady rhythm are seen within some dozen milliseconds, by less than two polls each', () => {
  for (const gapMs of [1_000, 2_000, 12_000]) {
    const { latencies, polls } = follow({ gapMs, arrivalMs: () => 370, blocks: 300 })
    expect(median(latencies.slice(50))).toBeLessThan(gapMs / 16)
    expect(polls.slice(50).reduce((sum, count) => sum + count, 0)).toBeLessThan(2 * 250)
  }
})

test('blocks that arrive within half a second of their time are seen soon after, by two polls each', () => {
  const random = createSeededRandom(1)
  const { latencies, polls } = follow({ gapMs: 12_000, arrivalMs: () => 500 + random() * 500, blocks: 400 })
  expect(median(latencies.slice(50))).toBeLessThan(400)
  expect(polls.slice(50).reduce((sum, count) => sum + count, 0)).toBeLessThan(2 * 350)
})

test('a slot without a block costs polls, and not the rhythm', () => {
  const skips = (block: number) => block === 100 || block === 120
  const { latencies } = follow({ gapMs: 12_000, arrivalMs: () => 800, blocks: 200, skips })
  expect(latencies[99]).toBeLessThan(1_100)
  expect(median(latencies.slice(101))).toBeLessThan(400)
})

test.each([
  [
    'without a rhythm',
    { gapMs: 3_000, arrivalMs: (block: number) => ((block * 7_919) % 2_900) + 1, exact: false },
  ],
  ['more often than polls', { gapMs: 250, arrivalMs: () => 0 }],
  ['once a minute', { gapMs: 60_000, arrivalMs: () => 0 }],
])('blocks that come %s are polled in steady pauses', (_name, chain) => {
  const { pauses } = follow({ ...chain, blocks: 60 })
  expect(new Set(pauses)).toEqual(new Set([1_000]))
})

test('a chain whose timestamps run ahead of its blocks is polled in steady pauses', () => {
  let rhythm = noRhythm
  for (let block = 1; block <= 20; block++) {
    const atMs = startMs + block * 100
    rhythm = notePoll(
      rhythm,
      { number: block, timestampMs: startMs + block * 12_000, atMs, wasTold: false },
      20,
    )
    expect(nextPollMs(rhythm, 20, false)).toBe(atMs + 20)
  }
})

test('polls continue after the clock was set back or forward, and find the rhythm again', () => {
  for (const shiftMs of [-3_600_000, 3_600_000]) {
    const shift = (block: number) => (block >= 100 ? shiftMs : 0)
    const { latencies, pauses } = follow({ gapMs: 2_000, arrivalMs: () => 300, blocks: 200, shift })
    expect(Math.max(...pauses)).toBeLessThanOrEqual(2 * 2_000)
    expect(median(latencies.slice(130))).toBeLessThan(125)
  }
})

test('while a subscription announces heads, polls wait for half a gap after a block was due', () => {
  let rhythm = noRhythm
  for (let block = 0; block < 10; block++) {
    const timestampMs = startMs + block * 2_000
    const poll = { number: block, timestampMs, atMs: timestampMs + 150, wasTold: true }
    rhythm = notePoll(rhythm, poll, 1_000)
  }
  const dueMs = startMs + 10 * 2_000 + 150
  expect(nextPollMs(rhythm, 1_000, false)).toBe(dueMs)
  expect(nextPollMs(rhythm, 1_000, true)).toBe(dueMs + 1_000)
  expect(nextPollMs(noRhythmAt(startMs), 1_000, true)).toBe(startMs + 5_000)
})

function noRhythmAt(atMs: number): HeadRhythm {
  return notePoll(noRhythm, { number: 1, timestampMs: atMs, atMs, wasTold: false }, 1_000)
}

interface FollowedBlocks {
  readonly gapMs: number
  /** Milliseconds from the time of a block to its arrival. */
  readonly arrivalMs: (block: number) => number
  readonly blocks: number
  /** Whether the timestamp is the time of the slot; else that of the arrival. In whole seconds either way. */
  readonly exact?: boolean
  readonly skips?: (block: number) => boolean
  /** By how much the local clock is off while a block is the newest. */
  readonly shift?: (block: number) => number
}

/** Polls a chain by its rhythm: how late each block was seen, by how many polls, and with which pauses in between. */
function follow({
  gapMs,
  arrivalMs,
  blocks,
  exact = true,
  skips = () => false,
  shift = () => 0,
}: FollowedBlocks) {
  const chain: { number: number; arrivedMs: number; timestampMs: number }[] = []
  for (let slot = 0; chain.length < blocks; slot++) {
    if (skips(slot)) continue
    const slotMs = startMs + slot * gapMs
    const arrivedMs = slotMs + arrivalMs(slot)
    const timestampMs = Math.floor((exact ? slotMs : arrivedMs) / 1_000) * 1_000
    chain.push({ number: chain.length, arrivedMs, timestampMs })
  }
  const latencies: number[] = []
  const polls: number[] = []
  const pauses: number[] = []
  let rhythm = noRhythm
  let nowMs = startMs + 5_000
  let newest = -1
  let count = 0
  while (newest < blocks - 1) {
    const head = chain.findLast(({ arrivedMs }) => arrivedMs <= nowMs)
    if (head === undefined) throw new RangeError('polls begin after the first block')
    count++
    if (head.number > newest) {
      for (const { arrivedMs } of chain.slice(newest + 1, head.number + 1)) latencies.push(nowMs - arrivedMs)
      polls.push(count)
      count = 0
      newest = head.number
    }
    const offMs = shift(newest)
    const { number, timestampMs } = head
    rhythm = notePoll(rhythm, { number, timestampMs, atMs: nowMs + offMs, wasTold: false }, 1_000)
    const pauseMs = Math.max(1, nextPollMs(rhythm, 1_000, false) - (nowMs + offMs))
    pauses.push(pauseMs)
    nowMs += pauseMs
  }
  return { latencies, polls, pauses }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}
