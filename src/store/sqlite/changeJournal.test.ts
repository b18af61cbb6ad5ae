import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSqliteTestStore } from '../../../test/harness/sqliteTestStore.ts'
import { unixMilliseconds } from '../../model/time.ts'
import type { Change, ChangeJournal, ChangePlace } from '../indexQueries.ts'
import type { IndexReader } from '../indexReader.ts'
import type { IndexWriter } from '../indexWriter.ts'
import { generateBlocks, type Step } from '../testing/generatedChain.ts'
import { historyRuns } from '../testing/historyShare.ts'
import { histories, playHistory } from '../testing/playHistory.ts'
import { batchOf, exportOf, identityOf } from '../testing/storeFactory.ts'
import { openConnection } from './connection.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { openSqliteWriter } from './openSqliteWriter.ts'

describe('whoever follows the journal', () => {
  test('knows the records of the index, whenever it looks and however little it reads at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(1, 2, 7, 1_000),
        async (history, pauses, limit) => {
          await withIndex(async ({ writer, reader }) => {
            const follower = await createFollower(reader, limit)
            let commits = 0
            const look = async () => {
              // Some commits are looked at one by one, others many at once.
              if (commits++ % ((pauses[commits % pauses.length] ?? 0) + 1) === 0) await follower.read()
            }
            await playHistory(withHook(writer, look), history)
            await follower.readToEnd()
            expect(follower.records()).toEqual(await recordsOf(reader))
            expect(follower.resets).toBe(0)
          })
        },
      ),
      { numRuns: historyRuns(150), verbose: 1 },
    )
  }, 120_000)

  test('is told of each record once while nothing is taken back, in the order of the chain', async () => {
    await withIndex(async ({ writer, reader }) => {
      const start = await reader.newestChange()
      await writer.openChain(identityOf(5))
      await writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(30), 'a')))
      await nextTurn()
      const ids: string[] = []
      let place = start
      for (let hasMore = true; hasMore; ) {
        const slice = await reader.listChanges(place, 4)
        ids.push(...slice.changes.map(idOf))
        ;({ next: place, hasMore } = slice)
      }
      const expected = (await recordsOf(reader)).map(([id]) => id)
      expect(ids.toSorted()).toEqual(expected)
      expect(new Set(ids).size).toBe(ids.length)
      expect((await reader.listChanges(place, 4)).changes).toEqual([])
      expect((await reader.listChanges(await reader.newestChange(), 4)).changes).toEqual([])
    })
  })

  test('is told once of what stands after a reorganisation, where it reads the whole afterwards', async () => {
    await withIndex(async ({ writer, reader }) => {
      await writer.openChain(identityOf(5))
      const start = await reader.newestChange()
      const blocks = generateBlocks(5, [], attestations(20), 'a')
      await writer.applyBlocks(5, batchOf(blocks))
      await writer.revertBlocks(5, 9, unixMilliseconds(1))
      const kept = blocks.filter(({ number }) => number <= 9)
      await writer.applyBlocks(5, batchOf(generateBlocks(5, kept, attestations(15), 'b')))
      await nextTurn()
      const { changes } = await reader.listChanges(start, 1_000)
      const made = changes.filter(({ kind }) => kind === 'attestation').map(idOf)
      expect(made.toSorted()).toEqual((await recordsOf(reader)).map(([id]) => id))
    })
  })

  test('is told to begin anew at a place that the journal no longer has, or never had', async () => {
    await withIndex(async ({ writer, reader }) => {
      const newest = await reader.newestChange()
      for (const sequence of [0, newest.sequence - 1, newest.sequence + 1, Number.MAX_SAFE_INTEGER]) {
        const slice = await reader.listChanges({ sequence, offset: 0 }, 10)
        expect(slice).toEqual({ changes: [{ kind: 'reset', place: newest }], next: newest, hasMore: false })
      }
      await writer.openChain(identityOf(5))
    })
  })

  test('is told to begin anew when more was taken back than is listed', async () => {
    await withIndex(async ({ writer, reader }) => {
      await writer.openChain(identityOf(5))
      const start = await reader.newestChange()
      await writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(600), 'a')))
      await writer.revertBlocks(5, 1, unixMilliseconds(1))
      await nextTurn()
      const { changes, hasMore } = await reader.listChanges(start, 100)
      expect(changes).toEqual([{ kind: 'reset', place: await reader.newestChange() }])
      expect(hasMore).toBe(false)
    })
  })
})

test('the journal keeps a bounded number of rows, one for a batch, and none for a batch without records', async () => {
  await withIndex(async ({ writer, reader, path }) => {
    await writer.openChain(identityOf(5))
    const blocks = generateBlocks(5, [], attestations(20), 'a')
    await writer.applyBlocks(5, batchOf(blocks))
    await writer.applyBlocks(5, batchOf(generateBlocks(5, blocks, [], 'a')))
    await nextTurn()
    const connection = openConnection(path, { readOnly: false, cacheMib: 1 })
    const count = () => connection.statement<[number]>('SELECT count(*) FROM change').get()?.[0]
    expect(count()).toBe(2)
    connection.exec(
      'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10500) ' +
        "INSERT INTO change (sequence, chain_id, body_json) SELECT (SELECT max(sequence) FROM change) + i, 5, '[]' FROM n",
    )
    const grown = generateBlocks(5, [...blocks, ...generateBlocks(5, blocks, [], 'a')], attestations(3), 'b')
    await writer.applyBlocks(5, batchOf(grown))
    await nextTurn()
    expect(count()).toBe(10_000)
    connection.close()
    expect((await reader.newestChange()).sequence).toBeGreaterThan(1.7e12)
  })
})

interface TestIndex {
  readonly writer: IndexWriter
  readonly reader: IndexReader & ChangeJournal
  readonly path: string
}

async function withIndex(work: (index: TestIndex) => Promise<void>): Promise<void> {
  const { path, remove } = createSqliteTestStore({ rankThreshold: 4 })
  const writer = openSqliteWriter(path)
  const reader = openSqliteReader(path)
  try {
    await work({ writer, reader, path })
  } finally {
    await reader.close()
    await writer.close()
    await remove()
  }
}

function withHook(writer: IndexWriter, hook: () => Promise<void>): IndexWriter {
  return {
    ...writer,
    applyBlocks: async (...parameters) => {
      const summary = await writer.applyBlocks(...parameters)
      await hook()
      return summary
    },
    revertBlocks: async (...parameters) => {
      const summary = await writer.revertBlocks(...parameters)
      await hook()
      return summary
    },
  }
}

/** Keeps what the journal tells of, as a client would: for each id whether it is revoked; null for a schema. */
async function createFollower(reader: ChangeJournal, limit: number) {
  const known = new Map<string, boolean | null>()
  let place: ChangePlace = await reader.newestChange()
  let resets = 0
  const take = (change: Change) => {
    switch (change.kind) {
      case 'attestation':
      case 'revocation':
        known.set(idOf(change), change.attestation.revocation !== null)
        return
      case 'schema':
        known.set(idOf(change), null)
        return
      case 'reverted':
        if (change.record !== 'revocation') known.delete(idOf(change))
        else known.set(idOf(change), false)
        return
      case 'reset':
        resets += 1
    }
  }
  const read = async () => {
    await nextTurn()
    const slice = await reader.listChanges(place, limit)
    for (const change of slice.changes) take(change)
    place = slice.next
    return slice.hasMore
  }
  return {
    read,
    readToEnd: async () => {
      while (await read());
    },
    records: () => [...known].toSorted(byId),
    get resets() {
      return resets
    },
  }
}

async function recordsOf(reader: IndexReader): Promise<[string, boolean | null][]> {
  const lines = (await exportOf(reader)).map(
    (line) => JSON.parse(line) as { type: string; id: string; revoked: boolean },
  )
  return lines
    .filter(({ type }) => type === 'schema' || type === 'attestation')
    .map(({ type, id, revoked }): [string, boolean | null] => [
      `${type} ${id}`,
      type === 'schema' ? null : revoked,
    ])
    .toSorted(byId)
}

function idOf(change: Change): string {
  switch (change.kind) {
    case 'attestation':
    case 'revocation':
      return `attestation ${memberId(change.attestation.summaryJson)}`
    case 'schema':
      return `schema ${memberId(change.schema.summaryJson)}`
    case 'reverted':
      return `${change.record === 'schema' ? 'schema' : 'attestation'} ${memberId(change.summaryJson)}`
    case 'reset':
      return 'reset'
  }
}

function memberId(fragment: string): string {
  return (JSON.parse(`{${fragment}}`) as { id: string }).id
}

function byId([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Attestations, one a block. */
function attestations(length: number): Step[] {
  return Array.from({ length }, (_, what) => ({ kind: 19, gap: 1, who: what % 4, whom: 1, what, text: 3 }))
}
