import { describe, expect, test } from 'vitest'
import { OverloadedError } from '../errors/apiErrors.ts'
import { presentAsker, runAs, runFor, type Asker } from './askers.ts'
import { createFairShares } from './fairShares.ts'

const client = (name: string): Asker => ({ name, hasKey: false })
const keyed = (name: string): Asker => ({ name: `key ${name}`, hasKey: true })

function openShares(total: number, windowMs: number | null = null) {
  let timeMs = 1_000
  const shares = createFairShares({ total, windowMs, refusal: 'Too many.', nowMs: () => timeMs })
  /** null: the amount was taken. */
  const refusalOf = (asker: Asker | null, amount?: number): OverloadedError | null => {
    try {
      runAs(asker, () => shares.take(amount))
      return null
    } catch (error) {
      if (!(error instanceof OverloadedError)) throw error
      return error
    }
  }
  return {
    take: (asker: Asker | null, amount?: number) => runAs(asker, () => shares.take(amount)),
    /** How much a client gets, one by one. */
    exhaust: (asker: Asker | null) => {
      let count = 0
      while (refusalOf(asker) === null) count += 1
      return count
    },
    refusalOf,
    pass: (passedMs: number) => {
      timeMs += passedMs
    },
  }
}

describe('shares of a budget', () => {
  test('one client gets a quarter of what others leave, so that the next one gets its share', () => {
    const { exhaust } = openShares(160)
    expect(exhaust(client('1.1.1.1'))).toBe(30)
    expect(exhaust(client('1.1.1.1'))).toBe(0)
    expect(exhaust(client('2.2.2.2'))).toBe(22)
    expect(exhaust(client('3.3.3.3'))).toBe(17)
  })

  test('clients without a key, however many, leave a quarter to those with one', () => {
    const { exhaust } = openShares(160)
    let taken = 0
    for (let number = 0; number < 200; number++) taken += exhaust(client(`client ${number}`))
    expect(taken).toBe(120)
    expect(exhaust(keyed('gatekeeper'))).toBe(10)
    expect(exhaust(client('one more'))).toBe(0)
  })

  test('a client that holds nothing gets one piece of work that is larger than its share', () => {
    const { take, refusalOf } = openShares(160)
    take(client('1.1.1.1'), 100)
    expect(refusalOf(client('1.1.1.1'))).toMatchObject({ message: 'Too many.', retryAfterSeconds: 5 })
    expect(refusalOf(client('2.2.2.2'), 21)).toMatchObject({ statusCode: 503 })
    take(client('2.2.2.2'), 20)
  })

  test('the program itself is bounded by the total only', () => {
    const { exhaust, take } = openShares(160)
    take(client('1.1.1.1'))
    expect(exhaust(null)).toBe(159)
  })

  test('a returned share can be taken again, once', () => {
    const { take, exhaust } = openShares(160)
    const giveBack = take(client('1.1.1.1'), 30)
    expect(exhaust(client('1.1.1.1'))).toBe(0)
    giveBack()
    giveBack()
    expect(exhaust(client('1.1.1.1'))).toBe(30)
  })

  test('usage within a window decays, and a refusal says when to ask again', () => {
    const { exhaust, pass, refusalOf, take } = openShares(160, 60_000)
    expect(exhaust(client('1.1.1.1'))).toBe(30)
    const { retryAfterSeconds = 0 } = refusalOf(client('1.1.1.1')) ?? {}
    pass((retryAfterSeconds - 1) * 1_000)
    expect(refusalOf(client('1.1.1.1'))).not.toBeNull()
    pass(1_000)
    take(client('1.1.1.1'))
    pass(600_000)
    expect(exhaust(client('1.1.1.1'))).toBe(30)
  })

  test('within each window after the first, all together use no more than the total', () => {
    const { exhaust, pass } = openShares(160, 60_000)
    expect(exhaust(null)).toBe(160)
    for (let minute = 0; minute < 3; minute++) {
      let used = 0
      for (let second = 0; second < 60; second++) {
        pass(1_000)
        used += exhaust(null)
      }
      expect(used).toBeLessThanOrEqual(160)
      expect(used).toBeGreaterThan(150)
    }
  })
})

test('work that follows from a request is that of its client, also within requests of its own', async () => {
  expect(presentAsker()).toBeNull()
  await runFor(
    () => client('1.1.1.1'),
    async () => {
      await Promise.resolve()
      expect(presentAsker()).toEqual(client('1.1.1.1'))
      runFor(
        () => client('127.0.0.1'),
        () => expect(presentAsker()).toEqual(client('1.1.1.1')),
      )
      runAs(null, () => expect(presentAsker()).toBeNull())
    },
  )
})
