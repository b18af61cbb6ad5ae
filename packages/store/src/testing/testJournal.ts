import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { Change, ChangeJournal, ChangePlace } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import { listedMax, revertListedMax } from '../layout/journal.ts'
import { generateBlocks, type Step } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { histories, playHistory } from './playHistory.ts'
import { batchOf, exportOf, identityOf, withStore, type CreateTestStore } from './storeFactory.ts'
import { withHook } from './withHook.ts'

export function testJournal(create: CreateTestStore, share: number): void {
  test('a follower of the journal knows the records of the index, whenever it looks and however little it reads at a time', async () => {
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.array(fc.nat(4), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(1, 2, 7, 1_000),
        async (history, pauses, limit) => {
          await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
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
      // Each history is read after nearly every commit.
      { numRuns: historyRuns(150, share ** 2), verbose: 1 },
    )
  })

  test('without a revert the journal lists each record once, in the order of the chain', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      const start = await reader.newestChange()
      await writer.openChain(identityOf(5))
      await writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(30), 'a')))
      await nextTurn()
      const ids: string[] = []
      let place = start
      for (let hasMore = true; hasMore;) {
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

  test('the journal tells once of each record that stands after a reorganisation, read as a whole afterwards', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
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

  test('the journal resets a follower at a place that the journal no longer has, or never had', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      const newest = await reader.newestChange()
      for (const sequence of [0, newest.sequence - 1, newest.sequence + 1, Number.MAX_SAFE_INTEGER]) {
        const slice = await reader.listChanges({ sequence, offset: 0 }, 10)
        expect(slice).toEqual({ changes: [{ kind: 'reset', place: newest }], next: newest, hasMore: false })
      }
      await writer.openChain(identityOf(5))
    })
  })

  test('the journal lists a large revert in several rows', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      await writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(listedMax + 100), 'a')))
      const before = await recordsOf(reader)
      await nextTurn()
      let place = await reader.newestChange()
      expect(before).toHaveLength(listedMax + 100)
      await writer.revertBlocks(5, -1, unixMilliseconds(1))
      await nextTurn()
      const ids: string[] = []
      for (let hasMore = true; hasMore;) {
        const slice = await reader.listChanges(place, 70)
        expect(slice.changes.every(({ kind }) => kind === 'reverted')).toBe(true)
        ids.push(...slice.changes.map(idOf))
        ;({ next: place, hasMore } = slice)
      }
      expect(ids.toSorted()).toEqual(before.map(([id]) => id))
    })
  })

  test('the journal resets a follower when more was reverted than is listed', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      const start = await reader.newestChange()
      await writer.applyBlocks(5, batchOf(generateBlocks(5, [], attestations(revertListedMax + 100), 'a')))
      await writer.revertBlocks(5, 1, unixMilliseconds(1))
      await nextTurn()
      const { changes, hasMore } = await reader.listChanges(start, 100)
      expect(changes).toEqual([{ kind: 'reset', place: await reader.newestChange() }])
      expect(hasMore).toBe(false)
    })
  })
}

/** Follows the journal as a client would: for each id whether it is revoked; null for a schema or an anchor. */
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
      case 'anchor':
        known.set(idOf(change), null)
        return
      case 'revertedAnchor':
        known.delete(idOf(change))
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
  const lines = (await exportOf(reader)).map((line) => JSON.parse(line) as RecordLine | AnchorLine)
  return lines
    .flatMap((line): [string, boolean | null][] => {
      if (line.type === 'anchor') return [[anchorId(line), null]]
      if (line.type !== 'schema' && line.type !== 'attestation') return []
      return [[`${line.type} ${line.protocol} ${line.id}`, line.type === 'schema' ? null : line.revoked]]
    })
    .toSorted(byId)
}

interface RecordLine {
  readonly type: 'schema' | 'attestation' | 'chain'
  readonly id: string
  readonly protocol: string
  readonly revoked: boolean
}

interface AnchorLine {
  readonly type: 'anchor'
  readonly chainId: string
  readonly blockNumber: number
  readonly eventIndex: number
  readonly value: string
}

function anchorId({ chainId, blockNumber, eventIndex, value }: AnchorLine): string {
  return `anchor ${chainId} ${eventPosition(blockNumber, eventIndex)} ${value}`
}

function idOf(change: Change): string {
  switch (change.kind) {
    case 'attestation':
    case 'revocation':
      return `attestation ${change.attestation.key.protocol} ${formatCompositeId(change.attestation.key)}`
    case 'schema':
      return `schema ${change.schema.key.protocol} ${formatCompositeId(change.schema.key)}`
    case 'reverted':
      return `${change.record === 'schema' ? 'schema' : 'attestation'} ${change.protocol} ${change.summary.id}`
    case 'anchor':
    case 'revertedAnchor': {
      const { place, value } = change.anchor
      return `anchor ${place.chainId} ${place.position} ${value}`
    }
    case 'reset':
      return 'reset'
  }
}

function byId([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Attestations, one a block. */
function attestations(length: number): Step[] {
  return Array.from({ length }, (_, what) => ({ kind: 19, gap: 1, who: what % 4, whom: 1, what, text: 3 }))
}
