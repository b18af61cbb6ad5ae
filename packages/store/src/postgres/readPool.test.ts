import { DatabaseError } from 'pg'
import { expect, test } from 'vitest'
import type { Connection } from './connection.ts'
import { createReadPool } from './readPool.ts'

/** A connection with a number. It ends as a real one does when its statements come to another session. */
interface Numbered extends Connection {
  readonly number: number
  endForeign(): never
}

function createPool() {
  const opening: ((connection: Connection) => void)[] = []
  let opened = 0
  const open = () => new Promise<Connection>((resolve) => opening.push(resolve))
  const finishOpening = () => {
    const number = ++opened
    let [isOpen, onEnd] = [true, () => undefined as void]
    const close = () => {
      isOpen = false
      onEnd()
      return Promise.resolve()
    }
    const connection = {
      number,
      isOpen: () => isOpen,
      onEnd: (listener: () => void) => (onEnd = listener),
      close,
      endForeign: () => {
        void close()
        const error = new DatabaseError('prepared statement does not exist', 0, 'error')
        throw Object.assign(error, { code: '26000' })
      },
    }
    opening.shift()?.(connection as unknown as Connection)
  }
  const pool = createReadPool({ open, connectionsMax: 3, waitMaxMs: 60_000 })
  /** A read that lasts until `end`. */
  const read = () => {
    const taken = Promise.withResolvers<Numbered>()
    const done = Promise.withResolvers<'return' | 'fail'>()
    const numbers: number[] = []
    const result = pool.use(async (connection) => {
      const numbered = connection as Numbered
      numbers.push(numbered.number)
      if (numbers.length > 1) return numbers
      taken.resolve(numbered)
      if ((await done.promise) === 'fail') numbered.endForeign()
      return numbers
    })
    return { taken: taken.promise, end: done.resolve, result }
  }
  return { finishOpening, read }
}

test('no read gets a connection from before a pooler changed', async () => {
  const { finishOpening, read } = createPool()
  const [failing, other] = [read(), read()]
  finishOpening()
  finishOpening()
  await Promise.all([failing.taken, other.taken])
  failing.end('fail')
  // The other connection comes back, and is of no use any more.
  other.end('return')
  expect(await other.result).toEqual([2])
  finishOpening()
  expect(await failing.result).toEqual([1, 3])
  const next = [read(), read()]
  finishOpening()
  expect(await Promise.all(next.map(async ({ taken }) => (await taken).number))).toEqual([3, 4])
})

test('a connection whose opening began before a pooler changed is opened anew', async () => {
  const { finishOpening, read } = createPool()
  const failing = read()
  finishOpening()
  await failing.taken
  const late = read()
  failing.end('fail')
  await new Promise(setImmediate)
  finishOpening()
  await new Promise(setImmediate)
  finishOpening()
  finishOpening()
  const numbers = [(await late.taken).number, (await failing.result).at(-1)]
  expect(numbers).not.toContain(2)
  late.end('return')
})
