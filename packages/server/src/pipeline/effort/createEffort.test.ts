import { expect, test } from 'vitest'
import { BadParameterError, RequestEndedError } from '@attestry/core/errors/apiErrors.ts'
import { createEffort, type Effort, type EffortOptions } from './createEffort.ts'

/**
 * A thread whose clock moves when work is done, and whose turns are those that are given out. `share`: the part of the
 * time during which the thread has a processor.
 */
function createThread({ share = 1 } = {}) {
  const log: string[] = []
  let nowMs = 0
  let turn = { number: 0, startMs: 0 }
  const begin = (options: Partial<EffortOptions> = {}): Effort =>
    createEffort({
      sharesThread: true,
      isEnded: () => false,
      limits: { turnMs: 10, totalMs: 100, readsMax: 3, atOnceMax: 2 },
      thread: {
        nowMs: () => nowMs,
        processorMs: () => nowMs * share,
        presentTurn: () => turn,
        takeTurn: () => {
          // The thread does the work of others.
          nowMs += 1_000
          turn = { number: turn.number + 1, startMs: nowMs }
          log.push('turn')
          return Promise.resolve()
        },
      },
      ...options,
    })
  const read = (name: string, tookMs: number) => async (): Promise<void> => {
    log.push(`${name} begins`)
    nowMs += tookMs / 2
    await Promise.resolve()
    nowMs += tookMs / 2
    log.push(`${name} ends`)
  }
  return { log, begin, read }
}

test('a read is made in a turn that the request has not used up', async () => {
  const { log, begin, read } = createThread()
  const effort = begin()
  for (const name of ['a', 'b', 'c']) await effort.run(read(name, 6))
  expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'turn', 'c begins', 'c ends'])
})

test('requests that begin in one turn share the turn', async () => {
  const { log, begin, read } = createThread()
  const [first, second] = [begin(), begin()]
  await first.run(read('a', 12))
  await second.run(read('b', 1))
  expect(log).toEqual(['a begins', 'a ends', 'turn', 'b begins', 'b ends'])
})

test('siblings of one request read one after another, the newest first', async () => {
  const { log, begin, read } = createThread()
  const effort = begin()
  await Promise.all(['a', 'b', 'c'].map((name) => effort.run(read(name, 12))))
  expect(log).toEqual(['a begins', 'a ends', 'turn', 'c begins', 'c ends', 'turn', 'b begins', 'b ends'])
})

test.each([true, false])(
  'lists below a record are read before its siblings are, so that few wait (one thread: %s)',
  async (sharesThread) => {
    const { begin } = createThread()
    const effort = begin({
      sharesThread,
      limits: { turnMs: 10, totalMs: 100, readsMax: 80, atOnceMax: 2 },
    })
    let [count, planned, plannedMax] = [0, 0, 0]
    const readBelow = async (depth: number): Promise<void> => {
      await effort.begin(async () => {
        planned += 1
        plannedMax = Math.max(plannedMax, planned)
        await effort.run(() => Promise.resolve())
        planned -= 1
        count += 1
      })
      if (depth > 1) await Promise.all(Array.from({ length: 10 }, () => readBelow(depth - 1)))
    }
    // Level by level, a thousand reads would wait.
    await readBelow(4)
    expect(count).toBe(1_111)
    expect(plannedMax).toBeLessThanOrEqual(2)
  },
)

test('siblings that do other work take a turn each', async () => {
  const { log, begin, read } = createThread()
  const effort = begin()
  await effort.run(read('a', 12))
  await Promise.all([effort.pause(), effort.pause(), effort.pause()])
  expect(log.filter((entry) => entry === 'turn')).toHaveLength(3)
})

test('reads of another thread are made at the same time', async () => {
  const { log, begin, read } = createThread()
  const effort = begin({ sharesThread: false })
  await Promise.all(['a', 'b'].map((name) => effort.run(read(name, 2))))
  expect(log.slice(0, 2)).toEqual(['a begins', 'b begins'])
})

test('a failed read keeps no sibling from its own', async () => {
  const { begin, read } = createThread()
  const effort = begin()
  const failing = effort.run(() => Promise.reject(new Error('away')))
  const others = effort.run(read('b', 1))
  await expect(failing).rejects.toThrow('away')
  await others
})

test('a request is refused by the time of only its own turns', async () => {
  const { begin, read } = createThread()
  const effort = begin()
  for (let count = 0; count < 10; count++) await effort.run(read('a', 10))
  expect(effort.spentMs()).toBe(100)
  await effort.run(read('b', 1))
  await expect(effort.run(read('c', 1))).rejects.toThrow(BadParameterError)
  expect(() => effort.pause()).toThrow('This request would take more than 100 milliseconds')
})

test('a read of several turns counts with each of them, and ends once the time is used up', async () => {
  const { log, begin, read } = createThread()
  const effort = begin()
  const long = effort.run(async () => {
    for (let step = 0; step < 30; step++) {
      await effort.turn()
      await read(String(step), 4)()
    }
  })
  await expect(long).rejects.toThrow('more than 100 milliseconds')
  expect(effort.spentMs()).toBe(104)
  expect(log.filter((entry) => entry.endsWith('ends'))).toHaveLength(26)
})

test('all reads that wait are refused by one error', async () => {
  const { begin, read } = createThread()
  const effort = begin()
  await effort.run(read('a', 101))
  const refused = ['b', 'c', 'd'].map((name) => effort.run(read(name, 1)).catch((error: unknown) => error))
  const [first, ...others] = await Promise.all(refused)
  expect(first).toBeInstanceOf(BadParameterError)
  for (const other of others) expect(other).toBe(first)
})

test.each([true, false])(
  'a request whose reads stand in a long queue is refused (one thread: %s)',
  async (sharesThread) => {
    const { log, begin, read } = createThread()
    const effort = begin({ sharesThread })
    await Promise.all(['a', 'b', 'c'].map((name) => effort.run(read(name, 1))))
    const reads = ['d', 'e', 'f', 'g'].map((name) =>
      effort.run(read(name, 1)).catch((error: unknown) => error),
    )
    expect(String(await reads[3])).toContain(
      'This request would make more than 3 reads at a time (limit reads)',
    )
    await Promise.all(reads)
    expect(log).not.toContain('g begins')
  },
)

test('reading stops after the last waiter has gone', async () => {
  const { log, begin, read } = createThread()
  let isEnded = false
  const effort = begin({ isEnded: () => isEnded })
  const closing = effort.run(async () => {
    await read('a', 12)()
    isEnded = true
  })
  const others = ['b', 'c'].map((name) => effort.run(read(name, 1)))
  await closing
  for (const other of others) await expect(other).rejects.toThrow(RequestEndedError)
  expect(log).toEqual(['a begins', 'a ends'])
})

test('a long request is charged the time of the processor, not that of a busy machine', async () => {
  const { begin, read } = createThread({ share: 0.1 })
  const effort = begin({ limits: { turnMs: 10_000, totalMs: 300, readsMax: 3, atOnceMax: 2 } })
  for (let nth = 0; nth < 4; nth++) await effort.run(read('read', 250))
  expect(effort.spentMs()).toBe(250 + 25 + 25 + 25)
  await expect(effort.run(read('read', 1))).rejects.toThrow(BadParameterError)
})

test('one step that waits for a processor for seconds does not use up the time of a request', async () => {
  const { begin, read } = createThread({ share: 0.01 })
  const effort = begin({ limits: { turnMs: 10_000, totalMs: 2_000, readsMax: 3, atOnceMax: 2 } })
  await effort.run(read('read', 10_000))
  await effort.run(read('read', 1))
  expect(effort.spentMs()).toBeLessThan(1_000)
})
