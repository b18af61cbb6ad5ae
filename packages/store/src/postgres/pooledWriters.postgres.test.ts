import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isNightly } from '@attestry/test/harness/nightly.ts'
import { createPostgresTestStore, type PostgresTestStore } from '@attestry/test/harness/postgresTestStore.ts'
import { startTransactionPooler, type TransactionPooler } from '@attestry/test/harness/transactionPooler.ts'
import { StoreClaimLostError } from '@attestry/core/errors/storeErrors.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { generateBlocks, type Step } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openPostgresReader } from './openPostgresReader.ts'
import { openPostgresWriter } from './openPostgresWriter.ts'

let store: PostgresTestStore
let pooler: TransactionPooler
const open: IndexWriter[] = []

beforeEach(async () => {
  store = await createPostgresTestStore({ rankThreshold: 4 })
  pooler = await startTransactionPooler(store.url)
})

afterEach(async () => {
  for (const writer of open.splice(0)) await writer.close()
  await pooler.close()
  await store.remove()
})

const chainId = 5
const anyStep: Step = { kind: 19, gap: 1, who: 1, whom: 1, what: 0, text: 3 }
const blocks = generateBlocks(
  chainId,
  [],
  Array.from({ length: 20 }, () => anyStep),
  'a',
)

function openWriter(): IndexWriter {
  const writer = openPostgresWriter(pooler.url)
  open.push(writer)
  return writer
}

async function exported(): Promise<readonly string[]> {
  const reader = openPostgresReader(store.url)
  try {
    return await Array.fromAsync(reader.exportLines({ times: false }))
  } finally {
    await reader.close()
  }
}

test('of two writers that both hold the lock of a chain, the one that claimed it first writes nothing more', async () => {
  const [first, second] = [openWriter(), openWriter()]
  await first.openChain(identityOf(chainId))
  await first.applyBlocks(chainId, batchOf(blocks.slice(0, 5)))
  // Over one connection of the server, the lock is granted to both.
  expect(await second.claimChain(chainId)).toBe(true)
  expect((await second.openChain(identityOf(chainId))).checkpoint?.blockNumber).toBe(4)
  await second.applyBlocks(chainId, batchOf(blocks.slice(5, 12)))
  const before = await exported()
  for (const late of [
    () => first.revertBlocks(chainId, 2, batchOf(blocks).storedAt),
    () => first.applyBlocks(chainId, batchOf(blocks.slice(5, 9))),
    () => first.openChain(identityOf(chainId)),
  ]) {
    await expect(late()).rejects.toBeInstanceOf(StoreClaimLostError)
  }
  expect(await exported()).toEqual(before)
  // It stands by, and takes nothing away from the one that goes on.
  expect(await first.claimChain(chainId)).toBe(false)
  await second.applyBlocks(chainId, batchOf(blocks.slice(12)))
  expect(await first.claimChain(chainId)).toBe(false)
  await second.releaseChain(chainId)
  expect(await first.claimChain(chainId)).toBe(true)
  expect((await first.openChain(identityOf(chainId))).checkpoint?.blockNumber).toBe(blocks.at(-1)?.number)
})

test('a writer that waits for ever for the one that took its chain takes the chain back', async () => {
  const [first, second] = [openWriter(), openWriter()]
  await first.openChain(identityOf(chainId))
  await second.openChain(identityOf(chainId))
  await expect(first.applyBlocks(chainId, batchOf(blocks.slice(0, 5)))).rejects.toMatchObject({
    code: 'STORE_CLAIM_LOST',
    retryable: true,
  })
  let looks = 0
  while (!(await first.claimChain(chainId))) looks += 1
  expect(looks).toBe(30)
  await first.openChain(identityOf(chainId))
  await expect(second.applyBlocks(chainId, batchOf(blocks.slice(0, 5)))).rejects.toBeInstanceOf(
    StoreClaimLostError,
  )
  await first.applyBlocks(chainId, batchOf(blocks))
})

/** The attempts of two writers. */
const tries = fc.array(
  fc.record({
    who: fc.constantFrom(0, 1),
    what: fc.constantFrom('claim', 'apply', 'apply', 'revert', 'open', 'forget'),
  }),
  { minLength: 20, maxLength: 40 },
)

test('over changing connections only the writer that claimed a chain last writes to it, whatever both try', async () => {
  await fc.assert(
    fc.asyncProperty(tries, async (history) => {
      const changing = await startTransactionPooler(store.url, { connections: 2, namedStatements: true })
      const writers = [0, 1].map(() => openPostgresWriter(changing.url))
      const hasClaimed = new Set<number>()
      let owner: number | null = null
      let head = -1
      try {
        for (const { who, what } of history) {
          const writer = writers[who] as IndexWriter
          if (what === 'claim') {
            if (owner === who || !(await writer.claimChain(chainId))) continue
            // A writer that has not noticed its loss believes that it has the chain.
            if (!(await succeeds(() => writer.openChain(identityOf(chainId))))) continue
            if (owner !== null) thefts += 1
            owner = who
            hasClaimed.add(who)
            continue
          }
          if (!hasClaimed.has(who)) continue
          const next = blocks.filter(({ number }) => number > head).slice(0, 2)
          const below = Math.max(0, head - 1)
          if (what === 'apply' ? next.length === 0 : what === 'revert' && head < 0) continue
          const before = who === owner ? null : await exported()
          const isDone = await succeeds(() => {
            switch (what) {
              case 'apply':
                return writer.applyBlocks(chainId, batchOf(next))
              case 'revert':
                return writer.revertBlocks(chainId, below, batchOf(blocks).storedAt)
              case 'open':
                return writer.openChain(identityOf(chainId))
              default:
                return writer.forgetBlocks(chainId, 0)
            }
          })
          expect(isDone).toBe(who === owner)
          expect(before && (await exported())).toEqual(before)
          if (!isDone) continue
          if (what === 'apply') head = next.at(-1)?.number ?? head
          else if (what === 'revert') head = below
        }
      } finally {
        for (const writer of writers) await writer.close()
        await changing.close()
        await store.remove()
        store = await createPostgresTestStore({ rankThreshold: 4 })
      }
    }),
    { numRuns: isNightly ? 40 : 3, seed: 3 },
  )
  expect(thefts).toBeGreaterThan(0)
})

/** How often a chain was taken from a writer that had not given the chain up. */
let thefts = 0

/** Whether a write succeeded; it may fail only because of the claim of the other writer. */
async function succeeds(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (error instanceof StoreClaimLostError) return false
    throw error
  }
}

test('a writer waits while a pooler gives sessions by transaction, and goes on afterwards', async () => {
  const changing = await startTransactionPooler(store.url, {
    connections: 8,
    namedStatements: false,
    mode: 'session',
  })
  const writer = openPostgresWriter(changing.url)
  try {
    const [first, second, third] = [blocks.slice(0, 2), blocks.slice(2, 4), blocks.slice(4, 6)]
    await writer.openChain(identityOf(chainId))
    await writer.applyBlocks(chainId, batchOf(first))
    changing.giveSessionsBy('transaction')
    const passing = { code: 'STORE_UNAVAILABLE', retryable: true }
    await expect(writer.applyBlocks(chainId, batchOf(second))).rejects.toMatchObject({
      ...passing,
      message: expect.stringContaining('answered from another session') as string,
    })
    await expect(writer.openChain(identityOf(chainId))).rejects.toMatchObject({
      ...passing,
      message: expect.stringMatching(/^a pooler in transaction mode stands before/) as string,
    })
    changing.giveSessionsBy('session')
    await writer.openChain(identityOf(chainId))
    await writer.applyBlocks(chainId, batchOf(second))
    await writer.applyBlocks(chainId, batchOf(third))
  } finally {
    await writer.close()
    await changing.close()
    await store.remove()
    store = await createPostgresTestStore({ rankThreshold: 4 })
  }
})
