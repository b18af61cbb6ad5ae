import { EventEmitter } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { StoreInvariantError, StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { batchOf, identityOf, storedAt } from '@attestry/store/testing/storeFactory.ts'
import { generateBlocks } from '@attestry/store/testing/generatedChain.ts'
import { connectWriter } from './connectWriter.ts'

const workers: Worker[] = []

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.terminate()))
})

async function connect() {
  const worker = new Worker(new URL('./testing/scriptedThread.ts', import.meta.url))
  workers.push(worker)
  return { worker, ...(await connectWriter(worker, 'x.db')) }
}

const opensNamed = (name: string) => ({ ...identityOf(1), name })

test('calls reach the thread in their order, and each gets its own answer, whichever comes first', async () => {
  const { writer } = await connect()
  const blocks = generateBlocks(1, [], [], 'a')
  const [block] = blocks
  if (block === undefined) throw new Error('a chain has a block')
  const opening = writer.openChain(identityOf(1))
  const applied = Array.from({ length: 50 }, (_, fromBlock) =>
    writer.applyBlocks(1, { ...batchOf([block]), fromBlock }),
  )
  const claims = [writer.claimChain(1), writer.claimChain(2)]
  expect(await Promise.all(claims)).toEqual([true, false])
  expect(await Promise.all(applied)).toHaveLength(50)
  // The first of all is still under way.
  await writer.releaseChain(1)
  expect(await opening).toEqual({ checkpoint: null, recentBlocks: [], rewindTo: null, history: [] })
  const order = (await writer.listContracts(1)).map(({ startBlock }) => startBlock)
  expect(order).toEqual(Array.from({ length: 50 }, (_, fromBlock) => fromBlock))
})

test('an error of the writer reaches the caller, and the thread keeps working', async () => {
  const { writer } = await connect()
  const error = await rejectionOf(writer.revertBlocks(1, 1, unixMilliseconds(0)))
  expect(error).toBeInstanceOf(StoreInvariantError)
  expect(error).toMatchObject({
    code: 'STORE_INVARIANT',
    message: 'the blocks are not there',
    retryable: true,
    facts: { chainId: 1, toBlock: 1 },
    cause: { message: 'why' },
  })
  expect(await rejectionOf(writer.revertBlocks(1, 0, storedAt))).toMatchObject({
    name: 'RangeError',
    message: 'thrown at once',
  })
  expect(await rejectionOf(writer.revertBlocks(1, 2, storedAt))).toBeInstanceOf(StoreInvariantError)
  expect(await writer.claimChain(1)).toBe(true)
})

test('a call that cannot be sent to the thread rejects, and the thread keeps working', async () => {
  const { writer } = await connect()
  const identity = { ...identityOf(1), onOpen: () => undefined }
  await expect(writer.openChain(identity)).rejects.toThrow('could not be cloned')
  expect(await writer.claimChain(1)).toBe(true)
})

test.each([
  { name: 'crashes', reason: /x\.db ended unexpectedly: a defect/ },
  { name: 'exits', reason: /x\.db ended unexpectedly/ },
])(
  'when the thread $name, pending and later calls reject, and the failure is reported',
  async ({ name, reason }) => {
    const { writer, failed } = await connect()
    const underWay = [writer.openChain(identityOf(1)), writer.openChain(opensNamed(name))].map(rejectionOf)
    for (const error of await Promise.all(underWay)) {
      expect(error).toBeInstanceOf(StoreUnavailableError)
      expect(error).toMatchObject({ message: expect.stringMatching(reason), retryable: false })
    }
    expect(await rejectionOf(failed)).toBeInstanceOf(StoreUnavailableError)
    expect(await rejectionOf(writer.claimChain(1))).toMatchObject({ message: expect.stringMatching(reason) })
    // Nothing is left to close.
    await writer.close()
  },
)

test('a thread that is killed while it closes leaves no call pending', async () => {
  const { worker, writer } = await connect()
  const opening = rejectionOf(writer.openChain(identityOf(1)))
  await worker.terminate()
  expect(await opening).toBeInstanceOf(StoreUnavailableError)
  await writer.close()
})

test('closing ends the thread; calls under way that it leaves unanswered reject, and so do later ones', async () => {
  const { worker, writer, failed } = await connect()
  const exit = new Promise((resolve) => worker.once('exit', resolve))
  const applied = writer.claimChain(1)
  const unanswered = rejectionOf(writer.openChain(identityOf(1)))
  const closed = writer.close()
  expect(writer.close()).toBe(closed)
  const late = rejectionOf(writer.claimChain(1))
  await closed
  expect(await exit).toBe(0)
  expect(await applied).toBe(true)
  for (const error of [await unanswered, await late, await rejectionOf(writer.claimChain(1))]) {
    expect(error).toBeInstanceOf(StoreUnavailableError)
    expect(error).toMatchObject({ message: 'the database x.db is closed' })
  }
  await expect(Promise.race([failed, Promise.resolve('did not fail')])).resolves.toBe('did not fail')
})

test('a thread that exits in the same turn as it answers close is closed, and did not fail', async () => {
  const events = new EventEmitter()
  const worker = Object.assign(events, {
    postMessage: ({ id, method }: { id: number; method: string }) => {
      if (method !== 'close') return
      events.emit('message', { kind: 'done', id, result: undefined })
      events.emit('exit', 0)
    },
  })
  // The part of a worker that `connectWriter` uses.
  const connecting = connectWriter(worker as unknown as Worker, 'x.db')
  events.emit('message', { kind: 'opened' })
  const { writer } = await connecting
  const unanswered = rejectionOf(writer.claimChain(1))
  await writer.close()
  expect(await unanswered).toMatchObject({ message: 'the database x.db is closed' })
})

function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => null,
    (error: unknown) => error,
  )
}
