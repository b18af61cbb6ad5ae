import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { generateBlocks, steps } from '@attestry/store/testing/generatedChain.ts'
import { packEvents, unpackEvents } from './packEvents.ts'

test('unpacked events are those that were packed', () => {
  fc.assert(
    fc.property(steps(20), (life) => {
      const events = generateBlocks(5, [], life, 'chain').flatMap(({ events: some }) =>
        some.map((event) => ({
          event,
          storedAt: unixMilliseconds(event.position),
          settled: { block: 1, storedAt: unixMilliseconds(2) },
          revocation: { timestamp: 3n, position: event.position },
        })),
      )
      expect(unpackEvents(packEvents(events))).toEqual(events)
    }),
    { numRuns: 20 },
  )
})
