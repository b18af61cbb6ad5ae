import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { demoSchemas } from './content/demoSchemas.ts'
import { type History, planHistory } from './planHistory.ts'
import { createRandom } from './random.ts'

const dayS = 86_400
const endTimeS = 1_790_000_000

function plan(seed: number, schemas: number, attestations: number, days: number): History {
  return planHistory({
    schemas: demoSchemas.slice(0, schemas),
    attestations,
    random: createRandom(seed),
    startTimeS: endTimeS - days * dayS,
    endTimeS,
  })
}

describe('the planned history', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(plan(1, 45, 400, 60)).toEqual(plan(1, 45, 400, 60))
    expect(plan(2, 45, 400, 60).attestations).not.toEqual(plan(1, 45, 400, 60).attestations)
  })

  test('has everything asked for, once, in an order in which the contract accepts it', () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.integer({ min: 1, max: demoSchemas.length }),
        fc.integer({ min: 1, max: 300 }),
        fc.integer({ min: 1, max: 90 }),
        (seed, schemas, attestations, days) => {
          const history = plan(seed, schemas, attestations, days)
          expect(findContradiction(history, endTimeS)).toBeNull()
          expect(history.schemas).toHaveLength(schemas)
          expect(history.attestations).toHaveLength(attestations)
        },
      ),
      { numRuns: 60 },
    )
  })

  test('covers every kind of call and content at its usual size', () => {
    const { schemas, steps, attestations } = plan(1, demoSchemas.length, 3300, 60)
    expect(schemas.length).toBeGreaterThanOrEqual(40)
    expect(steps.some((step) => step.kind === 'register' && step.relayer !== null)).toBe(true)
    const attests = steps.filter((step) => step.kind === 'attest')
    expect(attests.some((step) => step.relayer !== null && step.attestations.length === 1)).toBe(true)
    expect(attests.some((step) => step.relayer !== null && step.attestations.length > 1)).toBe(true)
    const revokes = steps.filter((step) => step.kind === 'revoke')
    expect(revokes.some((step) => step.attestations.length > 1)).toBe(true)
    expect(revokes.some((step) => step.reasons.includes(''))).toBe(true)
    expect(new Set(attestations.map(({ dataLocation }) => dataLocation))).toEqual(new Set([0, 1, 2, 3]))
    expect(new Set(attestations.map(({ attester }) => attester)).size).toBeGreaterThan(15)
    expect(attestations.some(({ linked }) => linked !== null)).toBe(true)
    expect(attestations.some(({ validUntil }) => validUntil === 2n ** 64n - 1n)).toBe(true)
    expect(attestations.some(({ validUntil }) => validUntil > 0n && validUntil < BigInt(endTimeS))).toBe(true)
    const recentS = endTimeS - 7 * dayS
    expect(attests.filter((step) => step.timeS > recentS).length).toBeGreaterThan(100)
  })
})

/**
 * The first thing in a history that the contract would refuse, or that happens twice or never; null when it is sound.
 */
function findContradiction(history: History, untilS: number): string | null {
  const registeredAt = new Map<number, number>()
  const attestedAt = new Map<number, number>()
  const revoked = new Set<number>()
  const isEarlier = (times: Map<number, number>, index: number, timeS: number): boolean =>
    (times.get(index) ?? Infinity) < timeS
  let lastS = 0
  for (const step of history.steps) {
    if (step.timeS < lastS || step.timeS > untilS) return `time ${step.timeS} after ${lastS}`
    lastS = step.timeS
    if (step.kind === 'register') {
      if (registeredAt.has(step.schema)) return `schema ${step.schema} twice`
      registeredAt.set(step.schema, step.timeS)
    }
    if (step.kind === 'attest') {
      const attesters = new Set<number>()
      for (const index of step.attestations) {
        const { schema, linked, attester } = at(history.attestations, index)
        attesters.add(attester)
        if (attestedAt.has(index)) return `attestation ${index} twice`
        if (!isEarlier(registeredAt, schema, step.timeS)) return `attestation ${index} before its schema`
        if (linked !== null && !isEarlier(attestedAt, linked, step.timeS)) return `link to later ${linked}`
        if (linked !== null && at(history.attestations, linked).attester !== attester)
          return `link to other's ${linked}`
        attestedAt.set(index, step.timeS)
      }
      if (attesters.size !== 1) return `a batch of ${attesters.size} attesters`
    }
    if (step.kind === 'revoke') {
      if (step.reasons.length !== step.attestations.length) return 'reasons missing'
      for (const index of step.attestations) {
        const { schema } = at(history.attestations, index)
        if (at(history.schemas, schema).content.revocable === false) return `${index} is irrevocable`
        if (revoked.has(index)) return `attestation ${index} revoked twice`
        if (!isEarlier(attestedAt, index, step.timeS)) return `attestation ${index} revoked too early`
        revoked.add(index)
      }
    }
  }
  if (registeredAt.size !== history.schemas.length) return 'schemas missing'
  return attestedAt.size === history.attestations.length ? null : 'attestations missing'
}

function at<T>(items: readonly T[], index: number): T {
  const item = items[index]
  if (item === undefined) throw new RangeError(`There is no item ${index}.`)
  return item
}
