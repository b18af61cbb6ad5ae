import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSteppedClock } from '../../test/harness/steppedClock.ts'
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
        fc.array(fc.record({ limits, takesMs: fc.array(fc.nat(3_000), { maxLength: 12 }) }), {
          minLength: 1,
          maxLength: 5,
        }),
        async (sharedLimits, endpoints) => {
          const time = createSteppedClock()
          const shared = createSharedBudget(sharedLimits, time.clock)
          const all = createTrace(sharedLimits)
          let left = endpoints.reduce((sum, { takesMs }) => sum + takesMs.length, 0)
          for (const { limits: own, takesMs } of endpoints) {
            const budget = createRequestBudget(own, time.clock, shared)
            const trace = createTrace(own)
            for (const tookMs of takesMs) {
              void budget.acquire(never).then(async () => {
                trace.start(time.clock.nowMs())
                all.start(time.clock.nowMs())
                await time.clock.sleep(tookMs, never)
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

  test('goes to the endpoint with the fewest requests under way, whoever hangs', async () => {
    const time = createSteppedClock()
    const shared = createSharedBudget({ inFlight: 4, perSecond: null }, time.clock)
    const own = { inFlight: 3, perSecond: null }
    const hanging = createRequestBudget(own, time.clock, shared)
    const healthy = createRequestBudget(own, time.clock, shared)
    for (let i = 0; i < 10; i++) hanging.acquire(never).catch(() => undefined)
    // Three hang for ever; the one place that is left goes from hand to hand.
    for (let i = 0; i < 50; i++) {
      await healthy.acquire(never)
      healthy.release()
    }
    expect(shared.isFull()).toBe(false)
  })

  test('lets one that gave up leave the queue, and waits for nobody then', async () => {
    const time = createSteppedClock()
    const budget = createRequestBudget({ inFlight: 5, perSecond: 1 }, time.clock, null)
    await budget.acquire(never)
    const controller = new AbortController()
    const waiting = budget.acquire(controller.signal)
    expect([budget.isFull(), time.sleeping()]).toEqual([true, 1])
    controller.abort(new Error('gave up'))
    await expect(waiting).rejects.toThrow('gave up')
    expect(time.sleeping()).toBe(0)
    await expect(budget.acquire(controller.signal)).rejects.toThrow('gave up')
  })
})

/** Holds what is sent against the limits. */
function createTrace({ inFlight, perSecond }: RequestLimits) {
  const starts: number[] = []
  let underWay = 0
  return {
    start(nowMs: number) {
      underWay++
      starts.push(nowMs)
      expect(underWay).toBeLessThanOrEqual(inFlight)
      const recent = starts.filter((startMs) => startMs > nowMs - 1_000)
      expect(recent.length).toBeLessThanOrEqual(perSecond ?? Infinity)
    },
    end: () => void underWay--,
  }
}
