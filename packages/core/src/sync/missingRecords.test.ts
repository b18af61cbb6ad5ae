import { expect, test } from 'vitest'
import { numberedDeployment, silentDeployment } from '@attestry/test/harness/numberedRecords.ts'
import type { Defect } from '../model/chainState.ts'
import { systemClock } from '../model/clock.ts'
import type { IndexWriter } from '../index/indexWriter.ts'
import { createEventSource } from './fetchEvents.ts'
import { createMissingRecords, LogsLeftOutError } from './missingRecords.ts'
import { createNumberedChain } from './testing/numberedChain.ts'

const madeIn = 40

/** A contract whose attestation 0 is in block 40, and a backfill of the blocks around it that got no log of it. */
function createGap(deploymentAt = numberedDeployment) {
  const chain = createNumberedChain()
  Object.assign(chain, { head: 90, madeIn: [madeIn], loglessBlock: madeIn })
  const requests: string[] = []
  chain.onRequest = (request) => void requests.push(request)
  const logged: unknown[] = []
  const configured = { chainId: 1, name: 'One', finality: 10, pollIntervalMs: 1, transactionSenders: false }
  const marked: (Defect | null)[] = []
  const writer: Partial<IndexWriter> = {
    markDefect: (_, defect) => Promise.resolve(void marked.push(defect)),
  }
  const missing = createMissingRecords({
    client: chain.client,
    chain: configured,
    writer: writer as IndexWriter,
    log: (...line) => void logged.push(line),
  })
  const indexed = deploymentAt(0)
  const options = { ...configured, clock: systemClock, unannounced: missing.leftOut }
  const source = createEventSource(chain.client, [indexed], options)
  const meetAt = (blockNumber: number, number = 0n) => {
    const gap = {
      indexed,
      what: 'attestation',
      first: number,
      last: number,
      fromBlock: 30,
      toBlock: 50,
    } as const
    const progress = { source, indexed: { startBlock: 0, blockNumber, recentBlocks: [] }, history: [] }
    return missing.meetGap(gap, progress, chain.headerOf(chain.head), new AbortController().signal)
  }
  return { chain, missing, meetAt, requests, logged, marked, source }
}

test('logs that the contract left out are taken, and end the backfill without a search for them', async () => {
  const { missing, meetAt, requests, logged, marked, source } = createGap(silentDeployment)
  await expect(meetAt(29)).rejects.toBeInstanceOf(LogsLeftOutError)
  expect(marked).toEqual([])
  expect(requests).not.toContain('search')
  missing.addLeftOut([30, 31].map((blockNumber) => ({ ...missing.leftOut[0], blockNumber }) as never))
  expect(source.unannounced.map(({ blockNumber }) => blockNumber)).toEqual([madeIn, 30, 31])
  const message = 'attestations without a log are read from their contract'
  expect(logged).toEqual([
    ['info', message, { chainId: 1, blockNumber: madeIn, records: 1 }],
    ['info', message, { chainId: 1, blockNumber: 30, records: 2 }],
  ])
})

test('a record without a log takes few headers, and few records after it', async () => {
  const { chain, meetAt } = createGap(silentDeployment)
  const { fetchHeaders, readContracts } = chain.client
  const asked = { headers: 0, reads: 0 }
  Object.assign(chain.client, {
    fetchHeaders: (from: number, to: number, signal: AbortSignal) => {
      asked.headers += to - from + 1
      return fetchHeaders(from, to, signal)
    },
    readContracts: (...args: Parameters<typeof readContracts>) => {
      asked.reads += args[0].length
      return readContracts(...args)
    },
  })
  await expect(meetAt(29)).rejects.toBeInstanceOf(LogsLeftOutError)
  expect(asked.headers).toBeLessThan(16)
  expect(asked.reads).toBeLessThan(24)
})

test('records whose logs no endpoint has are marked as missing, and the backfill goes on without them', async () => {
  const { chain, missing, meetAt, marked } = createGap()
  await meetAt(29)
  expect(marked).toMatchObject([{ fromBlock: 30, toBlock: 50 }])
  expect(marked[0]?.text).toContain('number 0 on of the sign contract')
  expect(marked[0]?.text).toContain('are missing from the index: no endpoint gives their logs')
  expect(missing.leftOut).toEqual([])
  chain.onRequest = () => {
    throw new Error('no answer')
  }
  await expect(meetAt(29, 1n)).rejects.toThrow('no answer')
  expect(marked).toHaveLength(1)
})

test('a log that a search finds is read again, unless its block is indexed already', async () => {
  const { chain, meetAt, marked } = createGap()
  chain.loglessBlock = null
  await expect(meetAt(madeIn - 1)).rejects.toThrow(`reading again from block ${madeIn}`)
  expect(marked).toEqual([])
  await meetAt(madeIn)
  expect(marked[0]?.text).toContain(`they begin in block ${madeIn}`)
})
