import { describe, expect, test } from 'vitest'
import { createSteppedClock } from '@attestry/test/harness/steppedClock.ts'
import { formatQuantity } from './parseQuantity.ts'
import { resolveOptions, type ChainEvent } from './chainClientOptions.ts'
import { createEndpointPool } from './createEndpointPool.ts'
import type { EncodedCalls } from './matchAnswers.ts'
import type { RpcReply } from './rpcTransport.ts'

const never = new AbortController().signal

interface SentRequest {
  readonly atMs: number
  readonly isRefused: boolean
}

/** Sends calls one after the other, eight at a time, for so long, to an endpoint that `refuses` some of them. */
async function sendFor(
  seconds: number,
  refuses: (sent: readonly SentRequest[], nowMs: number) => boolean,
  refusal: (encoded: EncodedCalls) => RpcReply,
  takesMs = 20,
) {
  const { clock, run } = createSteppedClock()
  const sent: SentRequest[] = []
  const events: ChainEvent[] = []
  const startedAtMs = clock.nowMs()
  const pool = createEndpointPool(
    resolveOptions({
      chainId: 7,
      endpoints: ['http://e.example'],
      clock,
      random: () => 0.5,
      onEvent: (event) => void events.push(event),
      createTransport: () => ({
        async post(encoded) {
          await clock.sleep(takesMs, never)
          const isRefused = refuses(sent, clock.nowMs())
          sent.push({ atMs: clock.nowMs(), isRefused })
          return isRefused ? refusal(encoded) : answer(encoded)
        },
        listen: null,
        destroy: async () => {},
      }),
    }),
  )
  const endAtMs = startedAtMs + seconds * 1000
  async function work(): Promise<void> {
    while (clock.nowMs() < endAtMs) {
      const call = { method: 'eth_getBlockByNumber', params: ['0x1', false] }
      await pool
        .callEach(
          [call],
          (given, _, endpoint) => {
            if (given.kind === 'error') throw endpoint.explain(call, given.error, 1).error
            return given.value
          },
          never,
        )
        // A call that was refused too often is given up, as for a chain that tries again.
        .catch(() => undefined)
    }
  }
  let isDone = false
  const done = Promise.all(Array.from({ length: 8 }, work)).then(() => (isDone = true))
  await run(() => isDone)
  await done
  return { sent, events, startedAtMs }
}

function answer({ text }: EncodedCalls): RpcReply {
  const { id, method } = JSON.parse(text) as { id: number; method: string }
  const result = method === 'eth_chainId' ? formatQuantity(7) : 'an answer'
  return { status: 200, retryAfterMs: null, body: { jsonrpc: '2.0', id, result } }
}

const refusals: [name: string, (encoded: EncodedCalls) => RpcReply][] = [
  ['429', () => ({ status: 429, retryAfterMs: null, body: undefined })],
  [
    '-32005',
    ({ firstId }) => ({
      status: 200,
      retryAfterMs: null,
      body: { jsonrpc: '2.0', id: firstId, error: { code: -32005, message: 'limit exceeded' } },
    }),
  ],
  [
    '403 of a gateway',
    () => ({ status: 403, retryAfterMs: null, body: { message: 'API rate limit exceeded' } }),
  ],
]

describe.each(refusals)('an endpoint that refuses by %s', (_, refusal) => {
  test.each([5, 60])('more than %i requests a second is sent about as many', async (limit) => {
    const { sent, events, startedAtMs } = await sendFor(
      40,
      (before, nowMs) => {
        const recent = before
          .slice(-limit * 4)
          .filter(({ atMs, isRefused }) => !isRefused && atMs > nowMs - 1000)
        return recent.length >= limit
      },
      refusal,
    )
    const settled = sent.filter(({ atMs }) => atMs > startedAtMs + 15_000)
    const refused = settled.filter(({ isRefused }) => isRefused).length
    expect(refused / settled.length).toBeLessThan(0.05)
    expect((settled.length - refused) / 25).toBeGreaterThan(0.6 * limit)
    expect(events.map(({ kind }) => kind)).toEqual(['rateLimited'])
  })

  test('every third request is slowed down, not stopped, and reported once', async () => {
    const { sent, events } = await sendFor(60, (before) => before.length % 3 === 2, refusal)
    const last = sent.filter(({ atMs }) => atMs > (sent.at(-1)?.atMs ?? 0) - 20_000)
    // Unhindered, 400 requests would be sent a second.
    expect(last.length / 20).toBeLessThan(100)
    expect(last.length / 20).toBeGreaterThan(3)
    expect(events.map(({ kind }) => kind)).toEqual(['rateLimited'])
  })
})

test('an endpoint that stops asking for fewer requests is sent as many as before, and reported once', async () => {
  const { sent, events, startedAtMs } = await sendFor(
    400,
    (before, nowMs) =>
      nowMs < 11_000 && before.slice(-20).filter(({ atMs }) => atMs > nowMs - 1000).length >= 4,
    () => ({ status: 429, retryAfterMs: null, body: undefined }),
    1_000,
  )
  const late = sent.filter(({ atMs }) => atMs > startedAtMs + 390_000)
  expect(late.length / 10).toBeGreaterThan(6)
  expect(events.map(({ kind }) => kind)).toEqual(['rateLimited', 'rateRestored'])
})

test.each([429, 503])('Retry-After with %i holds for the requests that wait as well', async (status) => {
  const { sent } = await sendFor(
    20,
    (before) => before.length === 50,
    () => ({ status, retryAfterMs: 10_000, body: undefined }),
    100,
  )
  const refusedAt = sent.findIndex(({ isRefused }) => isRefused)
  const pausedAtMs = sent[refusedAt]?.atMs ?? 0
  // Those that were under way come to their end.
  const during = sent.filter(({ atMs }) => atMs > pausedAtMs + 100 && atMs < pausedAtMs + 10_000)
  expect(during).toEqual([])
  expect(sent.at(-1)?.atMs).toBeGreaterThan(pausedAtMs + 10_000)
})
