import { expect, test } from 'vitest'
import type { BlockHeader, ChainClient } from '../chain/chainClient.ts'
import type { BlockRef } from '../model/chainState.ts'
import type { Hash } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import { createEndpointSamples } from './endpointSamples.ts'

const { signal } = new AbortController()
const minuteMs = 60_000

function samplesAt() {
  const compared: number[] = []
  let nowMs = 0
  const client: Pick<ChainClient, 'fetchAgreedHeader'> = {
    fetchAgreedHeader: (number) => {
      compared.push(number)
      return Promise.resolve({} as BlockHeader)
    },
  }
  const samples = createEndpointSamples(client, { nowMs: () => nowMs })
  return {
    compared,
    pass: (durationMs: number) => {
      nowMs += durationMs
    },
    compareBlock: (numbers: readonly number[], finalBlock: number) =>
      samples.compareBlock({ recentBlocks: numbers.map(blockOf) }, finalBlock, signal),
  }
}

test('once a minute, the oldest remembered block is compared if it is final', async () => {
  const { compared, compareBlock, pass } = samplesAt()
  await compareBlock([90, 91], 95)
  pass(minuteMs)
  await compareBlock([], 95)
  await compareBlock([96, 97], 95)
  expect(compared).toEqual([])
  await compareBlock([95, 96], 95)
  await compareBlock([95, 96], 95)
  pass(minuteMs)
  await compareBlock([96], 97)
  expect(compared).toEqual([95, 96])
})

function blockOf(number: number): BlockRef {
  const hash = `0x${number}` as Hash
  return { number, hash, parentHash: hash, timestamp: unixSeconds(number) }
}
