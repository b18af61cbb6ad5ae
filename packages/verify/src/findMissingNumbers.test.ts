import fc from 'fast-check'
import { expect, test } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { findMissingNumbers } from './findMissingNumbers.ts'

async function* recordsOf(numbers: readonly number[]) {
  for (const [index, number] of numbers.entries()) {
    await Promise.resolve()
    yield { localId: localIdOfCounter(BigInt(number)), position: eventPosition(index, 0) }
  }
}

test('names every number that is missing between the first record and the contract’s counter, and every one beyond it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(60), { minLength: 1 }), fc.nat(70), async (given, next) => {
      const numbers = given.toSorted((a, b) => a - b)
      const within = numbers.filter((number) => number < next)
      const gaps = await findMissingNumbers(recordsOf(numbers), BigInt, BigInt(next))
      expect(gaps.beyond.map(({ localId }) => Number(localId))).toEqual(
        numbers.filter((number) => number >= next),
      )
      const [first] = within
      if (first === undefined) return
      const expected = Array.from({ length: next - first }, (_, i) => first + i).filter(
        (n) => !within.includes(n),
      )
      expect(gaps.missing.map(Number)).toEqual(expected)
      expect(gaps).toMatchObject({
        missingCount: BigInt(expected.length),
        first: BigInt(first),
        stored: numbers.length,
      })
    }),
  )
})

test('of an index without records, the last number that was given out is missing', async () => {
  expect((await findMissingNumbers(recordsOf([]), BigInt, 8n)).missing).toEqual([7n])
  expect((await findMissingNumbers(recordsOf([]), BigInt, 0n)).missing).toEqual([])
})

test('a record without a log counts where its number stands among the records of its block', async () => {
  async function* records() {
    await Promise.resolve()
    yield { localId: localIdOfCounter(2n), position: eventPosition(7, 0) }
    yield { localId: localIdOfCounter(4n), position: eventPosition(7, 1) }
    // Such records stand behind the logs of their block.
    yield { localId: localIdOfCounter(1n), position: eventPosition(7, 2 ** 19 + 1) }
    yield { localId: localIdOfCounter(3n), position: eventPosition(7, 2 ** 19 + 3) }
    yield { localId: localIdOfCounter(6n), position: eventPosition(8, 0) }
  }
  expect(await findMissingNumbers(records(), BigInt, 7n)).toMatchObject({
    first: 1n,
    missing: [5n],
    stored: 5,
  })
})
