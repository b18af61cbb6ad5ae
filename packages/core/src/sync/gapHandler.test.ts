import { expect, test } from 'vitest'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { createGapHandler, type GapSearch } from './gapHandler.ts'
import type { RecordGap } from './recordSeries.ts'

const gap = {
  indexed: { deployment: { protocol: 'sign', address: '0xc0de' }, adapter: { counters: null } },
  what: 'attestation',
  first: 3n,
  last: 5n,
  fromBlock: 10,
  toBlock: 20,
} as unknown as RecordGap

function handlerWith(found: { blockNumber: number | null; unanswered?: string[] }) {
  const calls: string[] = []
  const warned: string[] = []
  const log = found.blockNumber === null ? null : ({ blockNumber: found.blockNumber } as ChainLog)
  const client: GapSearch = {
    findLog: () => {
      calls.push('findLog')
      return Promise.resolve({ log, unanswered: found.unanswered ?? [] })
    },
    proveLog: () => {
      calls.push('proveLog')
      return Promise.resolve([])
    },
    noteOmission: () => void calls.push('noteOmission'),
  }
  const handle = createGapHandler(client, { chainId: 1 }, (_, message) => void warned.push(message))
  const meet = () => handle(gap, { addresses: [], topics: [] }, 12, new AbortController().signal)
  return { meet, calls, warned }
}

const records = 'attestations number 3 to 5 of the sign contract 0xc0de'

test('a log of a block that is not indexed is proved, and the blocks are fetched again', async () => {
  const { meet, calls } = handlerWith({ blockNumber: 13 })
  await expect(meet()).rejects.toMatchObject({
    retryable: true,
    message: `${records} were kept back by an endpoint: reading again from block 13`,
  })
  expect(calls).toEqual(['findLog', 'proveLog', 'noteOmission'])
})

test('a log of an indexed block leaves the index as it is, and the log says what is missing', async () => {
  const { meet, warned } = handlerWith({ blockNumber: 12 })
  expect(await meet()).toBe(`${records} are missing from the index: they begin in block 12`)
  expect(warned).toHaveLength(1)
  expect(warned[0]).toContain('verify --repair')
})

test('the chain waits for endpoints that do not answer, however often', async () => {
  const { meet, calls } = handlerWith({ blockNumber: null, unanswered: ['away.example'] })
  for (let attempt = 0; attempt < 10; attempt++) {
    await expect(meet()).rejects.toMatchObject({ retryable: true, facts: { hosts: ['away.example'] } })
  }
  expect(calls).toEqual(Array.from({ length: 10 }, () => 'findLog'))
})

test('the chain goes on without records whose logs no endpoint has', async () => {
  const { meet } = handlerWith({ blockNumber: null })
  expect(await meet()).toBe(`${records} are missing from the index: no endpoint gives their logs`)
})

test('after eight attempts at the same records no endpoint is asked again', async () => {
  const { meet, calls } = handlerWith({ blockNumber: 13 })
  for (let attempt = 0; attempt < 8; attempt++) await expect(meet()).rejects.toThrow('reading again')
  expect(await meet()).toContain('no endpoint gives their logs')
  expect(calls.filter((call) => call === 'findLog')).toHaveLength(8)
})
