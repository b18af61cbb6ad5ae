import { expect, test } from 'vitest'
import { createCommitQueue } from './commitQueue.ts'

test('no other commit is begun before the first has succeeded', async () => {
  const queue = createCommitQueue(2)
  const first = Promise.withResolvers<void>()
  let begun = false
  await queue.add(() => first.promise)
  const second = queue.add(() => {
    begun = true
    return Promise.resolve()
  })
  first.reject(new Error('the disk is full'))
  await expect(second).rejects.toThrow('the disk is full')
  expect(begun).toBe(false)
})

test('no more commits are under way than there is room for, and they begin in their order', async () => {
  const queue = createCommitQueue(2)
  await queue.add(() => Promise.resolve())
  await queue.settle()
  const begun: number[] = []
  const ends = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const added = ends.map(({ promise }, index) =>
    queue.add(() => {
      begun.push(index)
      return promise
    }),
  )
  await Promise.all(added.slice(0, 2))
  expect(begun).toEqual([0, 1])
  ends[0]?.resolve()
  await added[2]
  expect(begun).toEqual([0, 1, 2])
  expect(queue.isEmpty()).toBe(false)
  ends[1]?.resolve()
  ends[2]?.resolve()
  await queue.settle()
  expect(queue.isEmpty()).toBe(true)
})

test('after a failure no commit begins, and the first failure is thrown even if later commits fail too', async () => {
  const queue = createCommitQueue(2)
  await queue.add(() => Promise.resolve())
  await queue.settle()
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await queue.add(() => first.promise)
  await queue.add(() => second.promise)
  let begun = false
  const third = queue.add(() => {
    begun = true
    return Promise.resolve()
  })
  first.reject(new Error('the disk is full'))
  await expect(third).rejects.toThrow('the disk is full')
  second.reject(new Error('the batch does not follow'))
  await expect(queue.settle()).rejects.toThrow('the disk is full')
  expect(begun).toBe(false)
})
