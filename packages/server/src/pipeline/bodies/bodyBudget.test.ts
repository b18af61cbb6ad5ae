import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBodyBudget, type HeldBody } from './bodyBudget.ts'

test('refuses the longest body of the client that holds the most', () => {
  const budget = createBodyBudget(100)
  const refused: string[] = []
  const begin = (client: string, name: string): HeldBody => budget.begin(client, () => refused.push(name))
  begin('greedy', 'short').add(20)
  begin('greedy', 'long').add(50)
  const modest = begin('modest', 'modest')
  modest.add(29)
  expect(refused).toEqual([])
  modest.add(2)
  expect(refused).toEqual(['long'])
  expect(budget.heldBytes()).toBe(51)
})

test('takes no bytes from bodies that are whole', () => {
  const budget = createBodyBudget(100)
  const refused: string[] = []
  const whole = budget.begin('greedy', () => refused.push('whole'))
  whole.add(90)
  whole.arrived()
  budget.begin('modest', () => refused.push('late')).add(11)
  expect(refused).toEqual(['late'])
  whole.end()
  whole.end()
  expect(budget.heldBytes()).toBe(0)
})

test('never holds more than its bytes, and gives all of them back', () => {
  const step = fc.record({ body: fc.nat(9), bytes: fc.integer({ min: 1, max: 60 }), ends: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const budget = createBodyBudget(100)
      const places = Array.from({ length: 10 }, (_, index) =>
        budget.begin(`client ${index % 3}`, () => undefined),
      )
      for (const { body, bytes, ends } of steps) {
        places[body]?.add(bytes)
        expect(budget.heldBytes()).toBeLessThanOrEqual(100)
        if (ends) places[body]?.end()
      }
      for (const place of places) place.end()
      expect(budget.heldBytes()).toBe(0)
    }),
  )
})
