import { afterEach, expect, test, vi } from 'vitest'
import { runAs, type Asker } from '@attestry/core/shares/askers.ts'
import { createHeavyWork } from './heavyWork.ts'

const [first, second] = [asker('192.0.2.1'), asker('192.0.2.2')]

function asker(name: string): Asker {
  return { name, hasKey: false }
}

const MiB = 1024 * 1024
const refusal = 'The server does too much of this; ask again later.'

/** Work that goes on until a test ends it, and a log of what has begun. */
function createWork(total = 64 * MiB, pauseMaxMs = 0) {
  const heavy = createHeavyWork({ total, refusal, pauseMaxMs })
  const log: string[] = []
  const begin = (asker: Asker | undefined, name: string, bytes = 8 * MiB) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const done = runAs(asker ?? null, () =>
      heavy.run(bytes, () => {
        log.push(name)
        return promise
      }),
    )
    return { done, end: () => resolve(name), fail: () => reject(new Error(name)) }
  }
  return { log, begin }
}

test('a second piece of work of one client waits for the first, and other clients wait for neither', async () => {
  const { log, begin } = createWork()
  const a = begin(first, 'a')
  const b = begin(first, 'b')
  const c = begin(second, 'c')
  c.end()
  await c.done
  expect(log).toEqual(['a', 'c'])
  a.fail()
  await expect(a.done).rejects.toThrow('a')
  b.end()
  expect(await b.done).toBe('b')
})

test('more work than may wait, or than there are bytes for, is refused with a time to ask again', async () => {
  const { begin } = createWork()
  const refused = { code: 'API_OVERLOADED', retryAfterSeconds: 5, message: refusal }
  const pieces = Array.from({ length: 9 }, (_, index) => begin(first, String(index)))
  await expect(begin(first, 'tenth').done).rejects.toMatchObject(refused)
  await expect(begin(second, 'large', 44 * MiB).done).rejects.toMatchObject(refused)
  for (const { end } of pieces) end()
  await Promise.all(pieces.map(({ done }) => done))
  const large = begin(second, 'large', 44 * MiB)
  large.end()
  expect(await large.done).toBe('large')
})

test('work within work waits for no place', async () => {
  const heavy = createHeavyWork({ total: 64 * MiB, refusal })
  const nested = () => heavy.run(8 * MiB, () => heavy.run(8 * MiB, () => Promise.resolve('done')))
  expect(await runAs(first, nested)).toBe('done')
})

test('small work, and that of the program itself, is not counted', async () => {
  const { log, begin } = createWork(MiB)
  const all = [
    begin(first, 'a', 1_000),
    begin(first, 'b', 1_000),
    begin(undefined, 'c'),
    begin(undefined, 'd'),
  ]
  expect(log).toEqual(['a', 'b', 'c', 'd'])
  for (const { end } of all) end()
  await Promise.all(all.map(({ done }) => done))
})

test('work of bytes that become known by and by waits for the earlier one, and is one piece of them', async () => {
  const heavy = createHeavyWork({ total: 64 * MiB, refusal })
  const [a, b, c] = runAs(first, () => [heavy.open(), heavy.open(), heavy.open()])
  const other = runAs(second, () => heavy.open())
  const log: string[] = []
  await runAs(first, async () => {
    for (let count = 0; count < 100; count++) await a.hold(MiB)
    const held = [
      b.hold(8 * MiB).then(() => log.push('b')),
      c.hold(8 * MiB).then(() => log.push('c')),
      b.hold(1_000).then(() => log.push('b again')),
    ]
    b.end()
    await runAs(second, () => expect(other.hold(17 * MiB)).rejects.toThrow(refusal))
    expect(log).toEqual([])
    a.end()
    await Promise.all(held)
    expect(log).toEqual(['b', 'b again', 'c'])
    c.end()
  })
  other.end()
  const later = runAs(second, () => heavy.open())
  await runAs(second, () => later.hold(32 * MiB))
})

afterEach(() => void vi.useRealTimers())

test('the next work of a client begins as long after the last one as that took, within the limit', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'performance'] })
  const { log, begin } = createWork(64 * MiB, 100)
  for (const [tookMs, pauseMs] of [
    [30, 30],
    [400, 100],
  ] as const) {
    log.length = 0
    const work = begin(first, 'work')
    await vi.advanceTimersByTimeAsync(tookMs)
    work.end()
    expect(await work.done).toBe('work')
    const next = begin(first, 'next')
    const other = begin(second, 'other')
    await vi.advanceTimersByTimeAsync(pauseMs - 1)
    expect(log).toEqual(['work', 'other'])
    await vi.advanceTimersByTimeAsync(1)
    expect(log).toEqual(['work', 'other', 'next'])
    next.end()
    other.end()
    await vi.advanceTimersByTimeAsync(200)
  }
})
