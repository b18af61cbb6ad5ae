import { expect, test } from 'vitest'
import { chooseEndpoint, type RankedEndpoint } from './chooseEndpoint.ts'

interface Named extends RankedEndpoint {
  readonly name: string
}

function endpoint(name: string, { availableAtMs = 0, failures = 0, isSaturated = false } = {}): Named {
  return {
    name,
    availableAtMs: () => availableAtMs,
    failures: () => failures,
    isSaturated: () => isSaturated,
  }
}

const first = endpoint('first')
const second = endpoint('second')

test('the order of the configuration decides among equals', () => {
  expect(chooseEndpoint([first, second], new Map(), 0)).toBe(first)
})

test('an endpoint with room comes before a saturated one, a healthy one before that, one without a miss first of these', () => {
  const saturated = endpoint('saturated', { isSaturated: true })
  const failing = endpoint('failing', { failures: 1 })
  expect(chooseEndpoint([saturated, first], new Map(), 0)).toBe(first)
  expect(chooseEndpoint([failing, saturated], new Map(), 0)).toBe(saturated)
  expect(chooseEndpoint([first, failing], new Map([[first, 1]]), 0)).toBe(failing)
})

test('the endpoint that may be asked soonest comes before all others', () => {
  const later = endpoint('later', { availableAtMs: 2_000 })
  const soon = endpoint('soon', { availableAtMs: 1_500, failures: 3, isSaturated: true })
  expect(chooseEndpoint([later, soon], new Map([[soon, 4]]), 1_000)).toBe(soon)
})

test('a short wait counts as none within the patience', () => {
  const waiting = endpoint('waiting', { availableAtMs: 1_500 })
  const asked = new Map([[first, 1]])
  expect(chooseEndpoint([first, waiting], asked, 1_000)).toBe(first)
  expect(chooseEndpoint([first, waiting], asked, 1_000, 500)).toBe(waiting)
})

test('there is no choice without an endpoint', () => {
  expect(() => chooseEndpoint([], new Map(), 0)).toThrow('at least one endpoint')
})
