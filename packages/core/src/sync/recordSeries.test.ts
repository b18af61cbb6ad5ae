import { describe, expect, test } from 'vitest'
import type { IndexedDeployment } from './fetchEvents.ts'
import { followSeries, type RecordSeries, type TalliedKind } from './recordSeries.ts'

const indexed = {} as IndexedDeployment

/** A series in the middle of a backfill: record 5 was created at 1,000 and stands in block 10 or later. */
function seriesWith(changes: Partial<RecordSeries> = {}): RecordSeries {
  const series = { indexed, what: 'attestation', expected: 5n, expectedTime: 1_000, sinceBlock: 10 } as const
  return { ...series, hasSeen: true, unreadable: [], ...changes }
}

function logsOf(numbers: readonly bigint[], changes: Partial<TalliedKind> = {}): TalliedKind {
  const kind = { indexed, what: 'attestation', numbers, unreadable: [], lastBlock: 18 } as const
  return { ...kind, followingTime: null, ...changes }
}

/** Blocks 11 to 20, of which the last one has this time. */
function rangeUntil(lastTimestamp: number) {
  return { toBlock: 20, lastTimestamp }
}

function gapOf(series: RecordSeries, kind: TalliedKind | undefined, lastTimestamp: number) {
  const followed = followSeries(series, kind, rangeUntil(lastTimestamp))
  if (followed.kind !== 'gap') return followed.kind
  const { first, last, fromBlock, toBlock } = followed.gap
  return { first, last, fromBlock, toBlock }
}

describe('logs', () => {
  test('with the expected numbers are followed to the next number and its time', () => {
    const kind = logsOf([5n, 6n], { followingTime: 1_500 })
    expect(followSeries(seriesWith(), kind, rangeUntil(1_200))).toEqual({
      kind: 'followed',
      series: seriesWith({ expected: 7n, expectedTime: 1_500, sinceBlock: 21 }),
    })
  })

  test('that pass over a number leave a gap', () => {
    expect(gapOf(seriesWith(), logsOf([7n]), 1_200)).toEqual({
      first: 5n,
      last: 6n,
      fromBlock: 10,
      toBlock: 20,
    })
    expect(gapOf(seriesWith(), logsOf([5n, 7n]), 1_200)).toEqual({
      first: 6n,
      last: 6n,
      fromBlock: 10,
      toBlock: 20,
    })
  })

  test('with a number that was read before belong to no series', () => {
    expect(gapOf(seriesWith(), logsOf([4n]), 1_200)).toBe('uncounted')
  })

  test('may begin below an estimated first number', () => {
    const followed = followSeries(seriesWith({ hasSeen: false }), logsOf([3n, 4n]), rangeUntil(1_200))
    expect(followed).toMatchObject({ kind: 'followed', series: { expected: 5n, hasSeen: true } })
  })
})

describe('a record whose time is over', () => {
  test('and whose log is missing is a gap', () => {
    expect(gapOf(seriesWith(), undefined, 1_001)).toEqual({ first: 5n, last: 5n, fromBlock: 10, toBlock: 20 })
  })

  test('is searched from the block of the record before', () => {
    const kind = logsOf([5n], { followingTime: 1_100 })
    expect(gapOf(seriesWith(), kind, 1_200)).toEqual({ first: 6n, last: 6n, fromBlock: 18, toBlock: 20 })
  })

  test('is no gap while a later block may have the same time', () => {
    const followed = followSeries(seriesWith(), undefined, rangeUntil(1_000))
    expect(followed).toEqual({ kind: 'followed', series: seriesWith() })
  })

  test('may be an unreadable log of the same time', () => {
    const kind = logsOf([], { unreadable: [1_000] })
    expect(followSeries(seriesWith(), kind, rangeUntil(1_200))).toEqual({
      kind: 'followed',
      series: seriesWith({ unreadable: [1_000] }),
    })
  })
})

describe('unreadable logs', () => {
  test('account for as many numbers as there are', () => {
    const series = seriesWith({ expectedTime: null, unreadable: [900] })
    expect(gapOf(series, logsOf([6n]), 1_200)).toBe('followed')
    expect(gapOf(series, logsOf([7n]), 1_200)).toMatchObject({ first: 5n, last: 6n })
  })

  test('account for no record of another time', () => {
    expect(gapOf(seriesWith({ unreadable: [900] }), logsOf([6n]), 1_200)).toMatchObject({ first: 5n })
  })

  test('are forgotten after the next readable log', () => {
    const series = seriesWith({ expectedTime: null, unreadable: [900] })
    const followed = followSeries(series, logsOf([6n], { unreadable: [1_100] }), rangeUntil(1_200))
    expect(followed).toMatchObject({ kind: 'followed', series: { expected: 7n, unreadable: [1_100] } })
  })
})
