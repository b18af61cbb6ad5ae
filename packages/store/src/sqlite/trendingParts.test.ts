import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createSqliteTestStore } from '@attestry/test/harness/sqliteTestStore.ts'
import { listTrendingSchemas, readChangedHours } from '../reading/trending.ts'
import { generateBlocks } from '../testing/generatedChain.ts'
import { batchOf, identityOf } from '../testing/storeFactory.ts'
import { openConnection } from './connection.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'
import { createReadSession, type ReadSession } from './readSession.ts'

let store: ReturnType<typeof createSqliteTestStore>
beforeEach(() => {
  store = createSqliteTestStore({ rankThreshold: 1_000 })
})
afterEach(() => store.remove())

/** Schemas, and then an attestation in each third block: more than twenty hours of them. */
const blocks = generateBlocks(
  5,
  [],
  Array.from({ length: 60 }, (_, index) => ({
    kind: index < 9 ? 0 : 12,
    gap: index < 9 ? 0 : 3,
    who: index % 4,
    whom: index % 6,
    what: index,
    text: 0,
  })),
  'a',
)

test('hours are read in parts, between which blocks come: the list is that of the newest state', async () => {
  const writer = openSqliteWriter(store.path)
  await writer.openChain(identityOf(5))
  await writer.applyBlocks(5, batchOf(blocks.slice(0, 104)))
  const session = openSession()
  const parts = await readParts(session, 3)
  expect(parts).toEqual([true, true, true])
  expect(session.hours.size).toBe(3)
  const more = await readParts(session, 100)
  expect(more.at(-1)).toBe(false)
  expect(more.length).toBeGreaterThan(5)
  // The next block is of the newest of these hours.
  await writer.applyBlocks(5, batchOf(blocks.slice(104)))
  expect((await readParts(session, 100)).length).toBeGreaterThan(5)
  session.begin()
  expect(await listTrendingSchemas(session, 5)).toEqual(await listFresh())
  expect(session.hours).toEqual(await hoursOfFresh())
  // Trending that is already known for this version is not read again.
  session.hours.clear()
  expect(await readParts(session, 100)).toEqual([false])
  expect(session.hours.size).toBe(0)
  session.close()
  await writer.close()
})

test('hours that a read of a newer state remembers meanwhile are not lost', async () => {
  const writer = openSqliteWriter(store.path)
  await writer.openChain(identityOf(5))
  await writer.applyBlocks(5, batchOf(blocks))
  const session = openSession()
  expect(await readParts(session, 100)).toContain(true)
  const [oldest] = session.hours.keys()
  if (oldest === undefined) throw new Error('there are hours')
  session.hours.delete(oldest)
  session.begin()
  const { connection } = session
  const all: typeof connection.all = async (sql, ...parameters) => {
    const rows = await connection.all(sql, ...parameters)
    const isOfHours = sql.includes('FROM schema_hour')
    for (const [hour, terms] of session.hours) {
      if (isOfHours) session.hours.set(hour, { ...terms, version: terms.version + 1 })
    }
    return rows as never
  }
  const listed = await listTrendingSchemas({ ...session, connection: { ...connection, all } }, 5)
  expect(listed).toEqual(await listFresh())
  session.close()
  await writer.close()
})

function openSession(): ReadSession {
  return createReadSession(openConnection(store.path, { readOnly: true, cacheMib: 1 }))
}

/** Reads up to so many parts of one hour each, every one in a turn of its own. */
async function readParts(session: ReadSession, count: number): Promise<boolean[]> {
  const parts: boolean[] = []
  while (parts.length < count && parts.at(-1) !== false) {
    session.begin()
    parts.push(await readChangedHours(session, 0))
    await nextTurn()
  }
  return parts
}

async function hoursOfFresh() {
  const session = openSession()
  session.begin()
  await listTrendingSchemas(session, 5)
  session.close()
  return session.hours
}

async function listFresh() {
  const reader = openSqliteReader(store.path)
  const listed = await reader.listTrendingSchemas(5)
  await reader.close()
  expect(listed).toHaveLength(5)
  return listed
}
