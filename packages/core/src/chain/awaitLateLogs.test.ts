import { expect, onTestFinished, test } from 'vitest'
import { fakeAddress, fakeBlock, fakeHash, fakeLog, fakeTopic } from '@attestry/test/harness/fakeBlocks.ts'
import { createSleepingClock } from '@attestry/test/harness/sleepingClock.ts'
import { parseAddress, parseHash, parseHex, type Address, type Hash, type Hex } from '../model/hex.ts'
import { logsBloomOf } from '../model/logsBloom.ts'
import { unixSeconds } from '../model/time.ts'
import { awaitLateLogs } from './awaitLateLogs.ts'
import type { BlockHeader } from './chainClient.ts'
import { resolveOptions } from './chainClientOptions.ts'
import { createEndpointPool } from './createEndpointPool.ts'
import { createLogPatience } from './createLogPatience.ts'

const filter = { addresses: [parseAddress(fakeAddress) as Address], topics: [parseHex(fakeTopic) as Hex] }
const ofOther = {
  address: `0x${'cd'.repeat(20)}`,
  transactionHash: fakeHash(0x11, 0),
  transactionIndex: '0x1',
}

interface AskedFilter {
  readonly blockHash: string
  readonly address?: unknown
}

type Answer = readonly unknown[] | { readonly code: number; readonly message: string }

/** Waits for the logs of `blocks` at an endpoint that answers by the pauses so far, after so many waits in vain. */
async function awaitLogs(
  blocks: readonly BlockHeader[],
  answer: (number: number, isWhole: boolean, slept: readonly number[]) => Answer,
  vainBefore = 0,
) {
  const clock = createSleepingClock()
  const patience = createLogPatience(clock)
  for (let i = 0; i < vainBefore; i++) patience.noteVain()
  const asked: { readonly number: number; readonly isWhole: boolean }[] = []
  const pool = createEndpointPool(
    resolveOptions({
      chainId: 7,
      endpoints: ['http://e.example'],
      clock,
      createTransport: () => ({
        post: async ({ text }) => ({
          status: 200,
          retryAfterMs: null,
          body: answerText(JSON.parse(text) as Request | Request[]),
        }),
        listen: null,
        destroy: async () => {},
      }),
    }),
  )
  onTestFinished(() => pool.destroy())

  function answerText(body: Request | Request[]): unknown {
    return Array.isArray(body) ? body.map(answerOne) : answerOne(body)
  }

  function answerOne({ id, method, params }: Request): unknown {
    if (method === 'eth_chainId') return { jsonrpc: '2.0', id, result: '0x7' }
    const [{ blockHash, address }] = params
    const number = Number(`0x${blockHash.slice(-8)}`)
    const isWhole = address === undefined
    asked.push({ number, isWhole })
    const answered = answer(number, isWhole, clock.slept)
    return { jsonrpc: '2.0', id, ...('code' in answered ? { error: answered } : { result: answered }) }
  }

  const options = { filter, patience, clock, last: [] }
  const logs = await awaitLateLogs(pool, blocks, options, new AbortController().signal)
  return { numbers: logs.map(({ blockNumber }) => blockNumber), asked, slept: clock.slept, patience }
}

interface Request {
  readonly id: number
  readonly method: string
  readonly params: readonly [AskedFilter]
}

/** A block whose bloom is that of the logs. */
function blockOf(number: number, ...logs: readonly Record<string, unknown>[]): BlockHeader {
  const { hash, parentHash, timestamp } = fakeBlock(number)
  return {
    number,
    hash: parseHash(String(hash)) as Hash,
    parentHash: parseHash(String(parentHash)) as Hash,
    timestamp: unixSeconds(Number(timestamp)),
    logsBloom: logsBloomOf(logs as unknown as Parameters<typeof logsBloomOf>[0]),
  }
}

const own = (number: number) => fakeLog(number, 0)
const other = (number: number) => fakeLog(number, 1, ofOther)

test('a block whose bloom is that of the logs of other contracts is not waited for', async () => {
  const { numbers, asked, slept } = await awaitLogs([blockOf(5, other(5))], (number, isWhole) =>
    isWhole ? [other(number)] : [],
  )
  expect(numbers).toEqual([])
  expect(asked).toEqual([{ number: 5, isWhole: true }])
  expect(slept).toEqual([])
})

test('the logs of the filter are found among those of a whole block', async () => {
  const { numbers, slept } = await awaitLogs([blockOf(5, own(5), other(5))], (number) => [
    own(number),
    other(number),
  ])
  expect(numbers).toEqual([5])
  expect(slept).toEqual([])
})

test('logs that come later are found, and renew the patience', async () => {
  const { numbers, slept, patience } = await awaitLogs(
    [blockOf(5, own(5), other(5))],
    (number, isWhole, pauses) => {
      if (pauses.length < 2) return []
      return isWhole ? [own(number), other(number)] : [own(number)]
    },
    2,
  )
  expect(numbers).toEqual([5])
  // Two waits in vain before left a second of patience.
  expect(slept).toEqual([500, 500])
  expect(patience.leftMs()).toBe(4_000)
})

test('logs that no endpoint ever has are waited for as long as the patience lasts, which halves', async () => {
  const { numbers, slept, patience } = await awaitLogs([blockOf(5, own(5))], () => [])
  expect(numbers).toEqual([])
  expect(slept.reduce((sum, ms) => sum + ms, 0)).toBe(4_000)
  expect(patience.leftMs()).toBe(2_000)
})

test('without patience no endpoint is asked', async () => {
  const { numbers, asked } = await awaitLogs([blockOf(5, own(5))], () => [own(5)], 5)
  expect(numbers).toEqual([])
  expect(asked).toEqual([])
})

test('a block is no longer asked for once its logs are there', async () => {
  const { numbers, asked } = await awaitLogs([blockOf(5, own(5)), blockOf(6, own(6))], (number, _, pauses) =>
    pauses.length < (number === 5 ? 1 : 4) ? [] : [own(number)],
  )
  expect(numbers).toEqual([5, 6])
  expect(asked.filter(({ number }) => number === 5)).toHaveLength(2)
  expect(asked.filter(({ number, isWhole }) => number === 6 && !isWhole)).toHaveLength(4)
})

test('an endpoint that refuses the logs of all contracts is asked for those of the filter', async () => {
  const { numbers, slept } = await awaitLogs([blockOf(5, own(5), other(5))], (number, isWhole, pauses) => {
    if (isWhole) return { code: -32_602, message: 'the address is missing' }
    return pauses.length < 2 ? [] : [own(number)]
  })
  expect(numbers).toEqual([5])
  expect(slept).toEqual([500, 500])
})

test('the logs of a block whose receipt lacks them are waited for beside those that are there', async () => {
  const { numbers, slept } = await awaitLogs([blockOf(5, own(5), other(5))], (number, isWhole, pauses) => {
    if (pauses.length < 2) return isWhole ? [other(number)] : []
    return isWhole ? [own(number), other(number)] : [own(number)]
  })
  expect(numbers).toEqual([5])
  expect(slept).toEqual([500, 500])
})
