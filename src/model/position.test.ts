import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  blockNumberMax,
  eventPosition,
  logsPerBlockMax,
  positionBlock,
  positionLogIndex,
} from './position.ts'

const block = fc.integer({ min: 0, max: blockNumberMax })
const logIndex = fc.integer({ min: 0, max: logsPerBlockMax - 1 })

test('a position gives back its block and log index', () => {
  fc.assert(
    fc.property(block, logIndex, (number, index) => {
      const position = eventPosition(number, index)
      expect([positionBlock(position), positionLogIndex(position)]).toEqual([number, index])
    }),
  )
})

test('positions sort as block number, then log index', () => {
  fc.assert(
    fc.property(block, logIndex, block, logIndex, (blockA, indexA, blockB, indexB) => {
      const difference = blockA === blockB ? indexA - indexB : blockA - blockB
      expect(Math.sign(eventPosition(blockA, indexA) - eventPosition(blockB, indexB))).toBe(
        Math.sign(difference),
      )
    }),
  )
})

test('what a position cannot hold is refused', () => {
  expect(() => eventPosition(blockNumberMax + 1, 0)).toThrow(RangeError)
  expect(() => eventPosition(-1, 0)).toThrow(RangeError)
  expect(() => eventPosition(0.5, 0)).toThrow(RangeError)
  expect(() => eventPosition(0, logsPerBlockMax)).toThrow(RangeError)
  expect(() => eventPosition(0, -1)).toThrow(RangeError)
})
