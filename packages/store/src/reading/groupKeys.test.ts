import fc from 'fast-check'
import { expect, test } from 'vitest'
import { byCount, firstGroups, groupsOf } from './groupKeys.ts'
import { oneAtATime } from './groupAttestations.ts'

test('the first groups are those of all groups in their order', () => {
  const groups = fc.uniqueArray(fc.tuple(fc.string({ maxLength: 3 }), fc.nat(4)), {
    selector: ([key]) => key,
  })
  fc.assert(
    fc.property(groups, fc.integer({ min: 1, max: 5 }), (given, depth) => {
      const sorted = given.map(([key, count]) => ({ key, count })).sort(byCount)
      expect(firstGroups('attester', given, depth)).toEqual(sorted.slice(0, depth))
    }),
  )
})

test('keys of groups are made in steps where other reads wait', async () => {
  const tally = new Map(Array.from({ length: 10 }, (_, index) => [`["0x${index}"]`, 1] as const))
  let turns = 0
  const next = () => {
    turns += 1
    return Promise.resolve(3)
  }
  const pace = { isShared: true, next, goOn: () => undefined }
  const groups = await groupsOf('recipient', new Map(tally), pace)
  expect(groups).toEqual(await groupsOf('recipient', new Map(tally), null))
  expect(groups.size).toBe(10)
  expect(turns).toBe(4)
})

test('long counts wait for one another, also behind one that fails', async () => {
  const log: string[] = []
  const runs = oneAtATime({
    run: () => Promise.reject(new Error('not asked')),
    countLong: async (work) => {
      log.push('begins')
      await Promise.resolve()
      log.push('ends')
      // The session and the effort are those of the database; this work looks at neither.
      const counted = await work(undefined as never, { rowsMax: 1, pace: null })
      if (counted === null) throw new Error('too much')
      return counted.result
    },
  })
  const budget = { rowsMax: 1, durationMaxMs: 1, atOnceMax: 1 }
  const counts = [null, { result: 7, isFromRows: true }].map((counted) =>
    runs.countLong(() => Promise.resolve(counted), budget),
  )
  await expect(counts[0]).rejects.toThrow('too much')
  expect(await counts[1]).toBe(7)
  expect(log).toEqual(['begins', 'ends', 'begins', 'ends'])
})
