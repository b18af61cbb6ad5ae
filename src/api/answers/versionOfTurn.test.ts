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
