import { expect, test } from 'vitest'
import type { AttestryError } from '../errors/baseError.ts'
import {
  RpcMalformedError,
  RpcRateLimitedError,
  RpcRefusedError,
  RpcUnreachableError,
} from '../errors/rpcErrors.ts'
import { callChunk, type ChunkEndpoint } from './callChunk.ts'
import type { RpcAnswer, RpcCall } from './matchAnswers.ts'
import type { Exchanged } from './readExchange.ts'

const calls: readonly RpcCall[] = Array.from({ length: 8 }, (_, n) => ({ method: 'echo', params: [n] }))
const numbers = calls.map((_, n) => n)

/** An endpoint that answers a batch by `exchange`, and what was sent to it and noted of it. */
function endpointWith(exchange: (sent: readonly number[], attempt: number) => Exchanged) {
  const batches: number[][] = []
  const noted: (string | number)[] = []
  let batchSizeMax = 100
  const endpoint: ChunkEndpoint = {
    host: 'e.example',
    batchSizeMax: () => batchSizeMax,
    limitBatch: (refusedSize, suggestedSize) => {
      batchSizeMax = suggestedSize ?? Math.floor(refusedSize / 2)
      noted.push(`limit ${batchSizeMax}`)
    },
    doubtBatch: (failedSize) => void noted.push(`doubt ${failedSize}`),
    noteBatch: (size) => void noted.push(`batch ${size}`),
    exchange: async (sent) => {
      const asked = sent.map(({ params }) => Number(params[0]))
      batches.push(asked)
      return await Promise.resolve().then(() => exchange(asked, batches.length))
    },
    noteSuccess: () => void noted.push('success'),
    noteFailure: (error: AttestryError) => void noted.push(error.code),
  }
  return { endpoint, batches, noted }
}

/** Sends the calls to one endpoint until all have a result; an attempt that fails is repeated, five times at most. */
async function send(endpoint: ChunkEndpoint, judge: (answer: RpcAnswer) => number = resultOf) {
  return await callChunk(calls, judge, async (task) => {
    for (let attempt = 1; ; attempt++) {
      try {
        await task(endpoint, new AbortController().signal)
        return
      } catch (error) {
        if (attempt === 5 || error instanceof TypeError) throw error
      }
    }
  })
}

test('all calls go out in one batch, and the results come in their order', async () => {
  const { endpoint, batches, noted } = endpointWith(echo)
  expect(await send(endpoint)).toEqual(numbers)
  expect(batches).toEqual([numbers])
  expect(noted).toEqual(['success', 'batch 8'])
})

test('a refused batch is sent again in the size that the endpoint named', async () => {
  const { endpoint, batches } = endpointWith((sent) =>
    sent.length > 3 ? { kind: 'batchRefused', suggestedSize: 3 } : echo(sent),
  )
  expect(await send(endpoint)).toEqual(numbers)
  expect(batches.map((batch) => batch.length)).toEqual([8, 3, 3, 2])
})

test('a batch that times out is halved, one that fails otherwise is not', async () => {
  const slow = endpointWith((sent) => {
    if (sent.length > 2) throw unreachable('timeout')
    return echo(sent)
  })
  expect(await send(slow.endpoint)).toEqual(numbers)
  expect(slow.batches.map((batch) => batch.length)).toEqual([8, 4, 2, 2, 2, 2])
  const down = endpointWith((sent, attempt) => {
    if (attempt === 1) throw unreachable('refused')
    return echo(sent)
  })
  expect(await send(down.endpoint)).toEqual(numbers)
  expect(down.batches.map((batch) => batch.length)).toEqual([8, 8])
})

test('a batch that fails twice is halved whatever the error says, and grows again after an outage', async () => {
  const down = endpointWith((sent, attempt) => {
    if (attempt < 4) throw new RpcRateLimitedError('slower', { retryable: true })
    return echo(sent)
  })
  expect(await send(down.endpoint)).toEqual(numbers)
  expect(down.batches.map((batch) => batch.length)).toEqual([8, 8, 4, 2, 4, 2])
  expect(down.noted.filter((note) => note !== 'success')).toEqual(['doubt 8', 'batch 4', 'batch 2'])
})

test('an endpoint that refuses batches for good is asked with one call, and then with half', async () => {
  const refused = endpointWith((sent) => {
    if (sent.length > 4) throw new RpcRefusedError('forbidden', { retryable: true })
    return echo(sent)
  })
  expect(await send(refused.endpoint)).toEqual(numbers)
  expect(refused.batches.map((batch) => batch.length)).toEqual([8, 1, 2, 4, 1])
  expect(refused.noted).toContain('limit 4')
})

test('calls without an answer are sent again, in smaller batches, and no call twice that has a result', async () => {
  const { endpoint, batches } = endpointWith((sent, attempt) =>
    attempt === 1 ? answersTo(sent, (n) => (n % 2 === 0 ? n : null)) : echo(sent),
  )
  expect(await send(endpoint)).toEqual(numbers)
  expect(batches).toEqual([numbers, [1, 3, 5, 7]])
})

test('a batch without any result counts as a failed attempt', async () => {
  const { endpoint, batches } = endpointWith((sent) => answersTo(sent, () => null))
  await expect(send(endpoint)).rejects.toThrow(RpcMalformedError)
  expect(batches.map((batch) => batch.length)).toEqual([8, 4, 2, 1, 1])
})

test('a rate limit that answers one call counts against the endpoint; a failure of the call alone does not', async () => {
  const limited = endpointWith(echo)
  let failures = 1
  const judge = (answer: RpcAnswer) => {
    if (failures-- > 0) throw new RpcRateLimitedError('slower', { retryable: true })
    return resultOf(answer)
  }
  expect(await send(limited.endpoint, judge)).toEqual(numbers)
  expect(limited.noted).toEqual(['RPC_RATE_LIMITED', 'success', 'batch 1'])
})

test('an error that is not retryable ends the chunk at once', async () => {
  const { endpoint, batches } = endpointWith(echo)
  const broken = () => {
    throw new TypeError('a defect')
  }
  await expect(send(endpoint, broken)).rejects.toThrow('a defect')
  expect(batches).toHaveLength(1)
})

function echo(sent: readonly number[]): Exchanged {
  return answersTo(sent, (n) => n)
}

function answersTo(sent: readonly number[], valueOf: (n: number) => number | null): Exchanged {
  const answers = sent.map((n): RpcAnswer | null => {
    const value = valueOf(n)
    return value === null ? null : { kind: 'result', value }
  })
  return { kind: 'answers', answers }
}

function resultOf(answer: RpcAnswer): number {
  return answer.kind === 'result' ? Number(answer.value) : -1
}

function unreachable(reason: string) {
  return new RpcUnreachableError('no answer', { retryable: true, facts: { reason } })
}
