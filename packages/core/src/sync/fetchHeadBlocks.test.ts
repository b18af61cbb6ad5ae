import { expect, test } from 'vitest'
import { numberedDeployment, numberedLog } from '@attestry/test/harness/numberedRecords.ts'
import type { BlockHeader, ChainClient } from '../chain/chainClient.ts'
import { blockNumbers } from '../model/chainState.ts'
import { systemClock } from '../model/clock.ts'
import { noBytes, zeroHash, type Hash } from '../model/hex.ts'
import { eventPosition } from '../model/position.ts'
import { unixSeconds } from '../model/time.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { createEventSource } from './fetchEvents.ts'
import { fetchHeadBlocks } from './fetchHeadBlocks.ts'

/** Fetches what follows block 10 of branch `a`, from an endpoint whose blocks and logs are of these branches. */
async function fetchAfter10(
  head: number,
  {
    headers = () => 'a',
    logs = headers,
  }: Partial<Record<'headers' | 'logs', (block: number) => string>> = {},
) {
  const asked: [from: number, to: number][] = []
  const client: Partial<ChainClient> = {
    fetchHeaders: (from, to) => {
      asked.push([from, to])
      return Promise.resolve(blockNumbers(from, to).map((number) => headerOf(number, headers(number))))
    },
    fetchCheckedLogs: (blocks) => Promise.resolve(blocks.map(({ number }) => logOf(number, logs(number)))),
    isAlone: () => true,
    readContracts: () => Promise.resolve([]),
  }
  const options = { transactionSenders: false, finality: 5, clock: systemClock, unannounced: [] }
  const source = createEventSource(client as ChainClient, [numberedDeployment(0)], options)
  const indexed = { startBlock: 1, blockNumber: 10, recentBlocks: [headerOf(10, 'a')] }
  const found = await fetchHeadBlocks(
    source,
    indexed,
    headerOf(head, headers(head)),
    new AbortController().signal,
  )
  return { found, asked }
}

test('blocks that follow the checkpoint come with their events, read at the last of them', async () => {
  const { found } = await fetchAfter10(13)
  expect(found).toMatchObject({
    kind: 'fetched',
    headers: [11, 12, 13].map((number) => headerOf(number, 'a')),
    last: { number: 13 },
    events: [11, 12, 13].map((number) => ({ position: eventPosition(number, 0) })),
    at: { kind: 'lastBlock', block: { number: 13 } },
  })
})

test('no more than a thousand are fetched at a time, and no header twice', async () => {
  const far = await fetchAfter10(5_000)
  expect(far.asked).toEqual([[11, 1_010]])
  expect(far.found).toMatchObject({ kind: 'fetched', last: { number: 1_010 } })
  const next = await fetchAfter10(11)
  expect(next.asked).toEqual([])
  expect(next.found).toMatchObject({ kind: 'fetched', last: { number: 11 } })
})

test('blocks that do not follow the checkpoint replaced it', async () => {
  expect((await fetchAfter10(13, { headers: () => 'b' })).found).toEqual({ kind: 'replaced' })
})

test('headers and logs of two forks are refused for now', async () => {
  const refused = { code: 'CHAIN_INCONSISTENT', retryable: true }
  const forked = fetchAfter10(13, { headers: (number) => (number < 12 ? 'a' : 'b') })
  await expect(forked).rejects.toMatchObject(refused)
  await expect(fetchAfter10(13, { logs: () => 'b' })).rejects.toMatchObject(refused)
})

function headerOf(number: number, fork: string): BlockHeader {
  const hash = (of: number) => `0x${fork}${of}` as Hash
  const timestamp = unixSeconds(number * 10)
  return { number, hash: hash(number), parentHash: hash(number - 1), timestamp, logsBloom: noBytes }
}

function logOf(blockNumber: number, fork: string): ChainLog {
  const { hash: blockHash, timestamp: blockTimestamp } = headerOf(blockNumber, fork)
  const place = {
    blockNumber,
    blockHash,
    blockTimestamp,
    position: eventPosition(blockNumber, 0),
  }
  return { ...numberedLog('attestation', blockNumber), ...place, transactionHash: zeroHash }
}
