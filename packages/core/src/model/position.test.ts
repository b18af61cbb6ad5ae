import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blockNumberMax, eventPosition, positionsPerBlock, positionBlock, positionIndex } from './position.ts'

const block = fc.integer({ min: 0, max: blockNumberMax })
const indexInBlock = fc.integer({ min: 0, max: positionsPerBlock - 1 })

test('a position gives back its block and index', () => {
  fc.assert(
    fc.property(block, indexInBlock, (number, index) => {
      const position = eventPosition(number, index)
      expect([positionBlock(position), positionIndex(position)]).toEqual([number, index])
    }),
  )
})

test('positions sort as block number, then index', () => {
  fc.assert(
    fc.property(block, indexInBlock, block, indexInBlock, (blockA, indexA, blockB, indexB) => {
      const difference = blockA === blockB ? indexA - indexB : blockA - blockB
      expect(Math.sign(eventPosition(blockA, indexA) - eventPosition(blockB, indexB))).toBe(
        Math.sign(difference),
      )
    }),
  )
})

test('block numbers and log indexes beyond a position are refused', () => {
  expect(() => eventPosition(blockNumberMax + 1, 0)).toThrow(RangeError)
  expect(() => eventPosition(-1, 0)).toThrow(RangeError)
  expect(() => eventPosition(0.5, 0)).toThrow(RangeError)
  expect(() => eventPosition(0, positionsPerBlock)).toThrow(RangeError)
  expect(() => eventPosition(0, -1)).toThrow(RangeError)
})
