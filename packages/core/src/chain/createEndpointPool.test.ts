import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { failureOf } from '@attestry/test/harness/chainClientFixture.ts'
import { createSleepingClock } from '@attestry/test/harness/sleepingClock.ts'
import type { AttestryError } from '../errors/baseError.ts'
import { InconsistentChainError } from '../errors/reorgErrors.ts'
import {
  RpcContradictionError,
  RpcMissingError,
  RpcRateLimitedError,
  RpcRefusedError,
  RpcUnreachableError,
  RpcWrongChainError,
} from '../errors/rpcErrors.ts'
import { resolveOptions, type ChainClientOptions, type ChainEvent } from './chainClientOptions.ts'
import type { Endpoint } from './createEndpoint.ts'
import { createEndpointPool, type CallOptions } from './createEndpointPool.ts'
import type { RpcCall } from './matchAnswers.ts'

const never = new AbortController().signal
const retryable = { retryable: true }
const unreachable = new RpcUnreachableError('away', retryable)
const missing = new RpcMissingError('no such block', retryable)
const refused = new RpcRefusedError('no such method', retryable)
const untrue = new RpcContradictionError('another block', retryable)
const hours = 3_600_000

/** Answers a method like an endpoint. An error that it throws is a failure of the endpoint. */
type Answers = (method: string) => unknown

const healthy: Answers = (method) => (method === 'eth_chainId' ? '0x7' : 'fine')
const astray: Answers = () => '0x8'
const away: Answers = () => {
  throw unreachable
}

/**
 * The endpoints `e0`, `e1` … of chain 7, whose answers may be replaced. The first failure of an endpoint pauses it for a
 * second, each further one for twice the time.
 */
function poolOf(answers: Answers[], options: Partial<ChainClientOptions> = {}) {
  const clock = createSleepingClock()
  const events: ChainEvent[] = []
  let underWay = 0
  const resolved = resolveOptions({
    chainId: 7,
    endpoints: answers.map((_, index) => `http://e${index}`),
    retryDelayMs: 2_000,
    random: () => 0,
    clock,
    onEvent: (event) => void events.push(event),
    createTransport: ({ host }) => ({
      listen: null,
      destroy: () => Promise.resolve(),
      async post({ text, firstId }, signal) {
        underWay++
        await nextTurn().finally(() => underWay--)
        signal.throwIfAborted()
        const calls = [JSON.parse(text)].flat() as readonly RpcCall[]
        const answer = answers[Number(host.slice(1))] ?? away
        const results = calls.map(({ method }, index) => ({ id: firstId + index, result: answer(method) }))
        return { status: 200, retryAfterMs: null, body: calls.length === 1 ? results[0] : results }
      },
    }),
    ...options,
  })
  const pool = createEndpointPool(resolved)
  const asked: string[] = []
  return {
    pool,
    clock,
    events,
    asked,
    /** Requests without an answer. */
    underWay: () => underWay,
    endpoint: (index: number) => pool.endpoints[index] as Endpoint,
    hosts: (endpoints: readonly Endpoint[]) => endpoints.map(({ host }) => host),
    /** Lets time pass. */
    pass: (durationMs: number) => clock.sleep(durationMs, never),
    /** Asks one question, answered by the endpoint or by what `answer` throws. */
    async ask(
      answer: (endpoint: Endpoint) => void = () => undefined,
      callOptions: CallOptions = {},
      callSignal = never,
    ) {
      return await pool.persist(
        async (endpoint, signal) => {
          asked.push(endpoint.host)
          await endpoint.exchange([{ method: 'question', params: [] }], signal)
          answer(endpoint)
          endpoint.noteSuccess()
        },
        callSignal,
        callOptions,
      )
    },
  }
}

function throwing(error: Error): () => never {
  return () => {
    throw error
  }
}

describe('an endpoint that fails', () => {
  test('is replaced at once by the next of the configuration, which keeps the work', async () => {
    const { ask, asked, clock } = poolOf([away, healthy, healthy])
    await ask()
    await ask()
    expect(asked).toEqual(['e0', 'e1', 'e1'])
    expect(clock.slept).toEqual([])
  })

  test('gets the work back when the other one fails and it answers again', async () => {
    const answers = [away, healthy]
    const { ask, asked, events, pass } = poolOf(answers)
    await ask()
    await pass(1_000)
    await ask()
    expect(asked.splice(0)).toEqual(['e0', 'e1', 'e1'])
    answers.splice(0, 2, healthy, away)
    await ask()
    await ask()
    expect(asked).toEqual(['e1', 'e0', 'e0'])
    expect(events.map(({ kind }) => kind)).toEqual(['endpointFailed', 'endpointFailed', 'endpointRecovered'])
  })

  test('is not asked before its pause is over, which doubles with each failure up to the maximum', async () => {
    const { ask, asked, clock, pool } = poolOf([away], { retryDelayMaxMs: 6_000, callBudgetMs: hours })
    expect(await failureOf(ask())).toBe(unreachable)
    expect(asked).toHaveLength(8)
    expect(clock.slept).toEqual([1_000, 2_000, 3_000, 3_000, 3_000, 3_000, 3_000])
    expect(pool.available()).toEqual([])
  })

  test('is waited for, for no longer than its pause, when all others fail too', async () => {
    const answers = [
      away,
      () => {
        answers.fill(healthy)
        throw unreachable
      },
    ]
    const { ask, asked, clock } = poolOf(answers)
    await ask()
    expect(asked).toEqual(['e0', 'e1', 'e0'])
    expect(clock.slept).toEqual([1_000])
  })
})

describe('a call that endpoints fail which are well', () => {
  test('goes to each in turn, then pauses, longer each time, and ends with the last error', async () => {
    const { pool, ask, asked, clock } = poolOf([healthy, healthy])
    const told: AttestryError[] = []
    pool.watchRetries((error) => void told.push(error))
    expect(await failureOf(ask(throwing(missing)))).toBe(missing)
    expect(asked).toEqual(Array.from({ length: 4 }, () => ['e0', 'e1']).flat())
    expect(clock.slept).toEqual([1_000, 2_000, 4_000])
    // Not of the first attempt, which one endpoint failed, nor of the last one, which is not repeated.
    expect(told).toEqual(Array.from({ length: 6 }, () => missing))
  })

  test('ends before a pause that its budget has no time for', async () => {
    const { ask, asked, clock } = poolOf([healthy, healthy])
    expect(await failureOf(ask(throwing(missing), { budgetMs: 2_999 }))).toBe(missing)
    expect(asked).toHaveLength(4)
    expect(clock.slept).toEqual([1_000])
  })

  test.each([
    ['is refused', refused, ['e0', 'e1']],
    ['is contradicted', new InconsistentChainError('another fork', retryable), ['e0', 'e1', 'e0']],
    ['fails for good', new RpcMissingError('no such block'), ['e0']],
    ['meets a defect', new TypeError('a defect'), ['e0']],
  ])('is not repeated in vain where it %s', async (_, error, hosts) => {
    const { ask, asked } = poolOf([healthy, healthy])
    await expect(ask(throwing(error))).rejects.toBe(error)
    expect(asked).toEqual(hosts)
  })

  test('ends with the reason of an abort, in a pause and in an attempt', async () => {
    const { ask, asked } = poolOf([healthy])
    const reason = new Error('enough')
    const inAttempt = new AbortController()
    const abort = () => {
      inAttempt.abort(reason)
      throw new TypeError('the connection was closed')
    }
    await expect(ask(abort, {}, inAttempt.signal)).rejects.toBe(reason)
    const inPause = new AbortController()
    const { pool } = poolOf([healthy], {
      clock: {
        ...createSleepingClock(),
        sleep: (_, signal) => {
          inPause.abort(reason)
          return Promise.reject(signal.reason)
        },
      },
    })
    await expect(pool.persist(throwing(missing), inPause.signal)).rejects.toBe(reason)
    await expect(ask(undefined, {}, AbortSignal.abort(reason))).rejects.toBe(reason)
    expect(asked).toEqual(['e0'])
  })
})

describe('a call may ask', () => {
  test('one endpoint before the others, unless that one is in a pause', async () => {
    const { ask, asked, endpoint } = poolOf([healthy, healthy, healthy])
    await ask(undefined, { first: endpoint(2) })
    endpoint(2).noteFailure(unreachable)
    await ask(undefined, { first: endpoint(2) })
    expect(asked).toEqual(['e2', 'e0'])
  })

  test('an endpoint after all others, for which it waits a moment', async () => {
    const { ask, asked, endpoint, clock } = poolOf([healthy, healthy])
    const last = [endpoint(0)]
    await ask(undefined, { last })
    endpoint(1).noteFailure(unreachable)
    await ask(undefined, { last })
    expect(clock.slept).toEqual([1_000])
    // Two failures in a row: a pause of two seconds, and then of four.
    for (let failure = 0; failure < 3; failure++) endpoint(1).noteFailure(unreachable)
    await ask(undefined, { last })
    expect(clock.slept).toEqual([1_000])
    expect(asked).toEqual(['e1', 'e1', 'e0'])
  })

  test('the endpoints that may serve it, or any where none may', async () => {
    const { pool, endpoint } = poolOf([healthy, healthy, healthy])
    expect(pool.preferred()).toBe(endpoint(0))
    expect(pool.preferred((each) => each !== endpoint(0))).toBe(endpoint(1))
    expect(pool.preferred(() => false)).toBe(endpoint(0))
    endpoint(0).noteFailure(unreachable)
    expect(pool.preferred()).toBe(endpoint(1))
  })
})

describe('endpoints of another chain', () => {
  test('are named, each with its chain, where there is no other', async () => {
    const { ask, asked } = poolOf([astray, () => '0x9'])
    const error = await failureOf(ask())
    expect(error).toBeInstanceOf(RpcWrongChainError)
    expect(error.message).toBe('No endpoint serves chain 7: e0 serves chain 8, e1 serves chain 9.')
    expect(asked).toEqual(['e0', 'e1'])
  })

  test('hide no failure of an endpoint of the right one', async () => {
    const limited = new RpcRateLimitedError('tomorrow', {
      retryable: true,
      facts: { retryAfterMs: 24 * hours },
    })
    const { ask, pool, hosts } = poolOf([astray, throwing(limited)])
    expect(await failureOf(ask())).toBe(limited)
    expect(pool.available()).toEqual([])
    expect(hosts(pool.trusted())).toEqual(['e0', 'e1'])
  })
})

describe('an endpoint in quarantine', () => {
  test('is not asked until the end, and then like any other; the next time is longer', async () => {
    const { pool, ask, asked, endpoint, hosts, events, pass } = poolOf([healthy, healthy])
    pool.quarantine(endpoint(0), untrue)
    await ask()
    expect(hosts(pool.available())).toEqual(['e1'])
    expect(hosts(pool.trusted())).toEqual(['e1'])
    await pass(600_000)
    await ask()
    expect(asked).toEqual(['e1', 'e0'])
    expect(hosts(pool.trusted())).toEqual(['e0', 'e1'])
    pool.quarantine(endpoint(0), untrue)
    const lengths = events.flatMap((event) => (event.kind === 'quarantined' ? [event.retryInMs] : []))
    expect(lengths).toEqual([600_000, 1_200_000])
  })

  test('stays there for one time, however many answers that were under way are untrue', async () => {
    const { pool, endpoint, events, pass } = poolOf([healthy, healthy])
    for (let answer = 0; answer < 4; answer++) pool.quarantine(endpoint(0), untrue)
    expect(events.map(({ kind }) => kind)).toEqual(['quarantined'])
    await pass(600_000)
    expect(endpoint(0).isQuarantined()).toBe(false)
  })

  test('is never the last one that is usable, which only pauses', async () => {
    const { pool, ask, asked, endpoint, hosts } = poolOf([astray, healthy, healthy])
    await ask()
    pool.quarantine(endpoint(1), untrue)
    pool.quarantine(endpoint(2), untrue)
    expect(hosts(pool.trusted())).toEqual(['e0', 'e2'])
    expect(pool.available()).toEqual([])
    await ask()
    expect(asked).toEqual(['e0', 'e1', 'e2'])
  })

  test('came there by five contradictions within an hour, not by fewer', async () => {
    const { pool, endpoint, pass } = poolOf([healthy, healthy])
    for (const pauseMs of [0, 0, 0, hours, 0, 0, 0]) {
      await pass(pauseMs)
      pool.noteContradiction(endpoint(0), untrue)
      expect(endpoint(0).isQuarantined()).toBe(false)
    }
    await pass(hours - 1)
    pool.noteContradiction(endpoint(0), untrue)
    expect(endpoint(0).isQuarantined()).toBe(true)
  })
})

describe('many calls', () => {
  const calls = Array.from({ length: 10 }, (_, index): RpcCall => ({ method: `m${index}`, params: [] }))
  const echo: Answers = (method) => (method === 'eth_chainId' ? '0x7' : method)

  test('have their results in their order, each judged as the call that it is', async () => {
    const { pool } = poolOf([echo, echo], { batchSizeMax: 3 })
    const results = await pool.callEach(
      calls,
      (answer, index, { host }) => [answer.kind === 'result' ? answer.value : null, index, host],
      never,
    )
    expect(results).toEqual(calls.map(({ method }, index) => [method, index, 'e0']))
    expect(await pool.callEach([], () => 0, never)).toEqual([])
  })

  test('end all with the first that fails for good', async () => {
    const { pool, underWay } = poolOf([echo], { batchSizeMax: 3 })
    const judged: number[] = []
    const judging = pool.callEach(
      calls,
      (_, index) => {
        judged.push(index)
        // The first chunk would be sent again and again; the second ends it.
        if (index < 3) throw missing
        throw new TypeError('a defect')
      },
      never,
    )
    await expect(judging).rejects.toThrow('a defect')
    expect(judged.filter((index) => index === 0)).toHaveLength(1)
    expect(underWay()).toBe(0)
  })
})

test('there is no pool without an endpoint, and one that is alone says so', () => {
  expect(() => poolOf([])).toThrow('at least one endpoint')
  expect(poolOf([healthy]).pool.isAlone).toBe(true)
  expect(poolOf([healthy, healthy]).pool.isAlone).toBe(false)
})
