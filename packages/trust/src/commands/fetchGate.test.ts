import { expect, test } from 'vitest'
import { runAs } from '@attestry/core/shares/askers.ts'
import { createFetchGate } from './fetchGate.ts'

const signal = new AbortController().signal

/** A gate with fetches that go on until they are let go. */
function openGate() {
  const gate = createFetchGate(
    { blocksAtOnceMax: 2, blocksWaitingMax: 38, blocksPerMinute: 1_000 },
    { nowMs: () => 0 },
  )
  const begun: string[] = []
  const ends: (() => void)[] = []
  const run = (name: string, fetch: string) =>
    runAs({ name, hasKey: false }, () =>
      gate.run(async () => {
        begun.push(fetch)
        await new Promise<void>((resolve) => ends.push(resolve))
      }, signal),
    )
  return { begun, run, endFirst: () => ends.shift()?.() }
}

/** Lets everything go on that waits for nothing else. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('a client with slow fetches leaves places to others, and clients take turns', async () => {
  const { begun, run, endFirst } = openGate()
  const slow = Array.from({ length: 7 }, (_, number) => run('1.1.1.1', `slow ${number}`))
  await expect(run('1.1.1.1', 'too many')).rejects.toMatchObject({ code: 'API_OVERLOADED' })
  const others = [run('2.2.2.2', 'a'), run('2.2.2.2', 'b'), run('3.3.3.3', 'c')]
  await settle()
  expect(begun).toEqual(['slow 0', 'a'])
  for (let count = 0; count < 4; count++) {
    endFirst()
    await settle()
  }
  expect(begun).toEqual(['slow 0', 'a', 'slow 1', 'b', 'c', 'slow 2'])
  for (let count = 0; count < 10; count++) {
    endFirst()
    await settle()
  }
  await Promise.all([...slow, ...others])
})

test('a fetch whose client has gone gives its place to the next one', async () => {
  const gate = createFetchGate(
    { blocksAtOnceMax: 1, blocksWaitingMax: 5, blocksPerMinute: 9 },
    { nowMs: () => 0 },
  )
  const gone = new AbortController()
  const { promise, resolve } = Promise.withResolvers<string>()
  const first = gate.run(() => promise, signal)
  const left = gate.run(() => Promise.resolve('left'), gone.signal)
  const last = gate.run(() => Promise.resolve('last'), signal)
  gone.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  resolve('first')
  expect(await Promise.all([first, last])).toEqual(['first', 'last'])
})
