import { expect, test } from 'vitest'
import { pairEvents } from './pairEvents.ts'

/** Events as texts: what they are, and where they stand. */
const names = {
  identity: (event: string) => event.split('@')[0] ?? '',
  place: (event: string) => event.split('@')[1] ?? '',
}

test('an event that is missing moves the others, which stay pairs', () => {
  expect(pairEvents(['a@0', 'b@1', 'c@2'], ['a@0', 'c@1'], names)).toEqual({
    pairs: [
      ['a@0', 'a@0'],
      ['c@2', 'c@1'],
    ],
    before: ['b@1'],
    after: [],
  })
})

test('other events in one place are a pair', () => {
  expect(pairEvents(['a@0', 'b@1'], ['a@0', 'x@1', 'y@2'], names)).toEqual({
    pairs: [
      ['a@0', 'a@0'],
      ['b@1', 'x@1'],
    ],
    before: [],
    after: ['y@2'],
  })
})

test('pairs equal events in order, and reports the surplus', () => {
  expect(pairEvents(['a@0', 'a@1', 'a@2'], ['a@0', 'a@1'], names)).toEqual({
    pairs: [
      ['a@0', 'a@0'],
      ['a@1', 'a@1'],
    ],
    before: ['a@2'],
    after: [],
  })
})
