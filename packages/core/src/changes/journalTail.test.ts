import { expect, test } from 'vitest'
import type { ChangePlace } from '../index/indexQueries.ts'
import { createJournalTail } from './journalTail.ts'

/** A journal of numbers, whose version is their count. */
function createNumbers() {
  const numbers: number[] = []
  const placeAt = (sequence: number): ChangePlace => ({ sequence, offset: 0 })
  const journal = {
    reads: 0,
    failure: null as Error | null,
    add: (count: number) => void numbers.push(...Array.from({ length: count }, (_, i) => numbers.length + i)),
    newestChange: () => Promise.resolve(placeAt(numbers.length)),
    listChanges: ({ sequence }: ChangePlace, limit: number) => {
      journal.reads++
      if (journal.failure !== null) return Promise.reject(journal.failure)
      const changes = numbers.slice(sequence, sequence + limit)
      const end = sequence + changes.length
      return Promise.resolve({ changes, next: placeAt(end), hasMore: end < numbers.length })
    },
  }
  const failures: unknown[] = []
  const onFailure = (error: unknown) => {
    failures.push(error)
    journal.failure = null
  }
  const tail = createJournalTail({ journal, version: () => Promise.resolve(numbers.length), onFailure })
  return { journal, tail, failures }
}

test('followers share each page and a first null, and a slow follower holds up the next page', async () => {
  const { journal, tail } = createNumbers()
  journal.add(3)
  const told: (readonly number[] | null)[][] = [[], []]
  const slow = Promise.withResolvers<void>()
  const leave = told.map((pages, index) =>
    tail.follow(1, (page) => {
      pages.push(page)
      if (index === 1 && page !== null) return slow.promise
    }),
  )
  await expect.poll(() => tail.place).not.toBeNull()
  journal.add(150)
  await expect.poll(() => told[0]?.length).toBe(2)
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect(journal.reads).toBe(1)
  slow.resolve()
  await expect.poll(() => told[0]?.length).toBe(3)
  expect(journal.reads).toBe(2)
  expect(told[0]).toEqual([null, expect.any(Array), expect.any(Array)])
  expect(told[0]?.flatMap((page) => page ?? [])).toEqual(Array.from({ length: 150 }, (_, i) => i + 3))
  expect(told[1]).toEqual(told[0])
  for (const each of leave) each()
  await expect.poll(() => tail.place).toBeNull()
})

test('a failed read is reported to followers as null, and no change is lost after it', async () => {
  const { journal, tail, failures } = createNumbers()
  const told: (readonly number[] | null)[] = []
  tail.follow(1, (page) => void told.push(page))
  await expect.poll(() => tail.place).not.toBeNull()
  journal.failure = new Error('down')
  journal.add(2)
  await expect.poll(() => told.length).toBe(3)
  expect(told).toEqual([null, null, [0, 1]])
  expect(failures).toHaveLength(1)
})
