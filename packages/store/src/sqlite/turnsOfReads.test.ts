import { afterAll, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { takeTurn } from '@attestry/core/model/threadTurns.ts'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import { generateBlocks } from '../testing/generatedChain.ts'
import { longLife } from '../testing/longLife.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

const store = createSqliteTestStore({ rankThreshold: 1_000 })
const writer = openSqliteWriter(store.path)
await writer.openChain(identityOf(5))
await writer.applyBlocks(5, batchOf(generateBlocks(5, [], longLife, 'a')))
await writer.close()
const reader = openSqliteReader(store.path, { countAtOnceMax: 100 })
afterAll(async () => {
  await reader.close()
  await store.remove()
})

const filter = { ...everyAttestation, dataLocation: 'ARWEAVE' }
const page = { page: 1, size: 10 }
const fields = { detail: false, schema: false }

/** Turns that end after some of them. */
function turnsUntil(last: number) {
  const taken = { count: 0 }
  const turn = async () => {
    if (taken.count === last) throw new Error('nobody waits')
    taken.count += 1
    await takeTurn()
  }
  return { taken, turn }
}

test.each([
  ['a total', (turn: () => Promise<void>) => reader.countAttestations({ ...filter, revoked: true }, turn)],
  ['a page', (turn: () => Promise<void>) => reader.listAttestations({ filter }, page, fields, turn)],
  [
    'a slice',
    (turn: () => Promise<void>) =>
      reader.sliceAttestations({ filter, order: 'newestFirst', after: null, limit: 10 }, fields, turn),
  ],
  [
    'groups',
    (turn: () => Promise<void>) =>
      reader.groupAttestations({ by: 'recipient', filter: { ...filter, revoked: true }, ...page }, turn),
  ],
])('%s ends once the turns of its caller do, and is read by the next caller', async (_name, read) => {
  const ended = turnsUntil(0)
  await expect(read(ended.turn)).rejects.toThrow('nobody waits')
  const others = turnsUntil(Infinity)
  await read(others.turn)
  expect(others.taken.count).toBeGreaterThan(0)
})

test('who shares a count with a caller whose turns end counts anew', async () => {
  const shared = { ...filter, revoked: false }
  const [first, second] = [turnsUntil(1), turnsUntil(Infinity)]
  const ended = reader.countAttestations(shared, first.turn)
  const waiting = reader.countAttestations(shared, second.turn)
  await expect(ended).rejects.toThrow('nobody waits')
  expect(await waiting).toBe(0)
  expect(first.taken.count).toBe(1)
  expect(second.taken.count).toBeGreaterThan(1)
})
