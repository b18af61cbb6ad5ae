import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSteppedClock } from '@attestry/test/harness/steppedClock.ts'
import { resolveOptions } from './chainClientOptions.ts'
import { createRequestBudget, createSharedBudget, type RequestLimits } from './requestBudget.ts'

const never = new AbortController().signal

describe('a budget of requests', () => {
  const limits = fc.record({
    inFlight: fc.integer({ min: 1, max: 5 }),
    perSecond: fc.option(fc.integer({ min: 1, max: 6 })),
  })

  test('is kept by every endpoint and by all together, and everything is sent in the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        limits,
        fc.array(
          fc.record({
            limits,
            requests: fc.array(fc.record({ takesMs: fc.nat(3_000), calls: fc.integer({ min: 1, max: 6 }) }), {
              maxLength: 12,
            }),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        async (sharedLimits, endpoints) => {
          const time = createSteppedClock()
          const shared = createSharedBudget(sharedLimits, time.clock)
          const all = createTrace(sharedLimits)
          let left = endpoints.reduce((sum, { requests }) => sum + requests.length, 0)
          for (const { limits: own, requests } of endpoints) {
            const budget = createRequestBudget(own, time.clock, shared)
            const trace = createTrace(own)
            const callsMax = Math.min(own.perSecond ?? Infinity, sharedLimits.perSecond ?? Infinity)
            for (const request of requests) {
              // No batch has more calls than a second may have.
              const calls = Math.min(request.calls, callsMax)
              void budget.acquire(calls, never).then(async () => {
                trace.start(time.clock.nowMs(), calls)
                all.start(time.clock.nowMs(), calls)
                await time.clock.sleep(request.takesMs, never)
                trace.end()
                all.end()
                budget.release()
                left--
              })
            }
          }
          await time.run(() => left === 0)
          expect(time.sleeping()).toBe(0)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('has room for each batch of a client', () => {
    const sharedBudget = createSharedBudget({ inFlight: 1, perSecond: 7 }, createSteppedClock().clock)
    const given = { chainId: 1, endpoints: [], sharedBudget }
    expect(resolveOptions({ ...given, callsPerSecond: 5 }).batchSizeMax).toBe(5)
    expect(resolveOptions({ ...given, callsPerSecond: 9 }).batchSizeMax).toBe(7)
    expect(resolveOptions({ ...given, batchSizeMax: 3 }).batchSizeMax).toBe(3)
  })

  test('goes to the endpoint with the fewest requests in flight, even if another hangs', async () => {
    const time = createSteppedClock()
    const shared = createSharedBudget({ inFlight: 4, perSecond: null }, time.clock)
    const own = { inFlight: 3, perSecond: null }
    const hanging = createRequestBudget(own, time.clock, shared)
    const healthy = createRequestBudget(own, time.clock, shared)
    for (let i = 0; i < 10; i++) hanging.acquire(1, never).catch(() => undefined)
    // Three hang for ever; the one place that is left goes from hand to hand.
    for (let i = 0; i < 50; i++) {
      await healthy.acquire(1, never)
      healthy.release()
    }
    expect(shared.isFull()).toBe(false)
  })

  test('drops an aborted request from the queue', async () => {
    const time = createSteppedClock()
    const budget = createRequestBudget({ inFlight: 5, perSecond: 1 }, time.clock, null)
    await budget.acquire(1, never)
    const controller = new AbortController()
    const waiting = budget.acquire(1, controller.signal)
    expect([budget.isFull(), time.sleeping()]).toEqual([true, 1])
    controller.abort(new Error('gave up'))
    await expect(waiting).rejects.toThrow('gave up')
    expect(time.sleeping()).toBe(0)
    await expect(budget.acquire(1, controller.signal)).rejects.toThrow('gave up')
  })
})

/** Holds what is sent against the limits. */
function createTrace({ inFlight, perSecond }: RequestLimits) {
  const starts: { readonly atMs: number; readonly calls: number }[] = []
  let underWay = 0
  return {
    start(nowMs: number, calls: number) {
      underWay++
      starts.push({ atMs: nowMs, calls })
      expect(underWay).toBeLessThanOrEqual(inFlight)
      const recent = starts.filter(({ atMs }) => atMs > nowMs - 1_000)
      expect(recent.reduce((sum, each) => sum + each.calls, 0)).toBeLessThanOrEqual(perSecond ?? Infinity)
    },
    end: () => void underWay--,
  }
}
