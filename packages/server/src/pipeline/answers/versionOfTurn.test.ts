import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createVersionOfTurn } from './versionOfTurn.ts'

test('the version is read once a turn of the event loop, and again in the next', async () => {
  let reads = 0
  const versionOfTurn = createVersionOfTurn({ indexVersion: () => Promise.resolve((reads += 1)) })
  expect(await Promise.all([versionOfTurn(), versionOfTurn()])).toEqual([1, 1])
  expect(await versionOfTurn()).toBe(1)
  await setImmediate()
  expect(await versionOfTurn()).toBe(2)
})

test('a version counts for as long as the operator lets it, but a failure to read one does not', async () => {
  let reads = 0
  let nowMs = 0
  const read = () => {
    reads += 1
    return reads === 2 ? Promise.reject(new Error('away')) : Promise.resolve(reads)
  }
  const versionOfTurn = createVersionOfTurn({ indexVersion: read }, 500, () => nowMs)
  expect(await versionOfTurn()).toBe(1)
  nowMs = 499
  await setImmediate()
  expect(await versionOfTurn()).toBe(1)
  nowMs = 500
  await expect(versionOfTurn()).rejects.toThrow('away')
  expect(await versionOfTurn()).toBe(3)
})
