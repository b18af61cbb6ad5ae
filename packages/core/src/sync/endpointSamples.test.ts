import { expect, test } from 'vitest'
import type { BlockHeader, ChainClient } from '../chain/chainClient.ts'
import type { BlockRef } from '../model/chainState.ts'
import type { Hash } from '../model/hex.ts'
import { unixSeconds } from '../model/time.ts'
import { createEndpointSamples } from './endpointSamples.ts'
import type { EventSource } from './fetchEvents.ts'
import type { FetchedHead } from './fetchHeadBlocks.ts'

const { signal } = new AbortController()
const minuteMs = 60_000

function samplesAt() {
  const compared: (number | 'record')[] = []
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
    compareRecord: (fetched: Pick<FetchedHead, 'events'>, error: Error | null = null) => {
      const isAlone = () => {
        compared.push('record')
        if (error !== null) throw error
        return true
      }
      const source = { client: { isAlone } } as unknown as EventSource
      return samples.compareRecord(source, { ...fetched, logs: [], at: {} as FetchedHead['at'] }, signal)
    },
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

test('once a minute, a new record is compared, and again at once after a failure', async () => {
  const { compared, compareRecord, pass } = samplesAt()
  const events = [{}] as unknown as FetchedHead['events']
  await compareRecord({ events: [] })
  expect(compared).toEqual([])
  await expect(compareRecord({ events }, new Error('two records'))).rejects.toThrow('two records')
  await compareRecord({ events })
  await compareRecord({ events })
  expect(compared).toEqual(['record', 'record'])
  pass(minuteMs)
  await compareRecord({ events })
  expect(compared).toHaveLength(3)
})

function blockOf(number: number): BlockRef {
  const hash = `0x${number}` as Hash
  return { number, hash, parentHash: hash, timestamp: unixSeconds(number) }
}
