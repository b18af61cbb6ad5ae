import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatCompositeId } from '@attestry/core/model/compositeId.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import type { HookReads, SpanPlace } from '@attestry/core/index/hookStore.ts'
import type { Change, ChangeJournal } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { generateBlocks } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { histories, playHistory } from './playHistory.ts'
import { batchOf, exportOf, identityOf, withStore, type CreateTestStore } from './storeFactory.ts'

export function testHooks(create: CreateTestStore, share: number): void {
  test('the records of a chain between two positions are those of the index, however little is read at a time', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(1, 3, 1_000), async (history, limit) => {
        await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
          await playHistory(writer, history)
          await nextTurn()
          const known = new Map<string, boolean>()
          for (const { chainId, indexed } of await reader.listChainEnds()) {
            for (let place: SpanPlace = { after: -1 }; place.after < indexed;) {
              const { changes, next, hasMore } = await reader.listRecordsBetween(
                chainId,
                { ...place, upTo: indexed },
                limit,
              )
              for (const change of changes) note(known, change)
              expect(changes.length).toBeLessThanOrEqual(2 * limit)
              expect(isBehind(next, place) && (hasMore || next.after === indexed)).toBe(true)
              place = next
            }
          }
          expect([...known].toSorted(byId)).toEqual(await recordsOf(reader))
        })
      }),
      { numRuns: historyRuns(60, share), verbose: 1 },
    )
  })

  test('a revocation that was settled above the block of a revert counts in that block, where its time has passed', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      // Of the record in block 0, a read says that a block of the time of blocks 2 and 3 revoked the record.
      const revoked = { kind: 19, gap: 0, who: 1, whom: 1, what: 2, text: 1 }
      const blocks = generateBlocks(5, [], [revoked, { ...revoked, kind: 6, gap: 8 }], 'a')
      await writer.applyBlocks(5, batchOf(blocks))
      const changesUpTo = async (upTo: number) => {
        await nextTurn()
        const { changes } = await reader.listRecordsBetween(5, { after: -1, upTo }, 100)
        return changes.flatMap((change) =>
          change.kind === 'attestation' || change.kind === 'revocation'
            ? [[change.kind, change.place.offset, change.attestation.revocation !== null]]
            : [],
        )
      }
      const end = (number: number) => (number + 1) * 2 ** 20 - 1
      const revokedIn = (block: number) => [
        ['attestation', 0, true],
        ['revocation', end(block), true],
      ]
      expect(await changesUpTo(end(8))).toEqual(revokedIn(8))
      await writer.revertBlocks(5, 5, unixMilliseconds(1))
      expect(await changesUpTo(end(5))).toEqual(revokedIn(5))
      expect(await changesUpTo(end(4))).toEqual([['attestation', 0, false]])
    })
  })

  test('blocks below the oldest remembered one are final, and so is everything where none is remembered', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      expect(await ends(reader)).toMatchObject([{ chainId: 5, indexed: -1, final: -1 }])
      const blocks = generateBlocks(5, [], [], 'a')
      const batch = batchOf(blocks)
      const [block] = batch.recentBlocks
      if (block === undefined) throw new Error('a batch has blocks')
      await writer.applyBlocks(5, { ...batch, recentBlocks: [] })
      const end = (number: number) => (number + 1) * 2 ** 20 - 1
      expect(await ends(reader)).toMatchObject([
        { chainId: 5, indexed: end(block.number), final: end(block.number) },
      ])
      const further = [1, 2, 3].map((step) => ({ ...block, number: block.number + step }))
      await writer.applyBlocks(5, {
        ...batch,
        events: [],
        fromBlock: block.number + 1,
        checkpoint: { blockNumber: block.number + 3, timestamp: null },
        recentBlocks: further.slice(1),
      })
      expect(await ends(reader)).toMatchObject([
        { chainId: 5, indexed: end(block.number + 3), final: end(block.number + 2) },
      ])
      expect(await reader.findPositionBefore(5, 0)).toBe(-1)
    })
  })

  test('no block is final while the first block to index may be replaced', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      const { contracts, ...chain } = identityOf(5)
      await writer.openChain({ ...chain, contracts: contracts.map((each) => ({ ...each, startBlock: 7 })) })
      const [block] = batchOf(generateBlocks(5, [], [], 'a')).recentBlocks
      if (block === undefined) throw new Error('a batch has blocks')
      const apply = (number: number, forgetBlocksBelow: number) =>
        writer.applyBlocks(5, {
          events: [],
          fromBlock: number,
          checkpoint: { blockNumber: number, timestamp: null },
          recentBlocks: [{ ...block, number }],
          forgetBlocksBelow,
          storedAt: unixMilliseconds(1),
        })
      const end = (number: number) => (number + 1) * 2 ** 20 - 1
      await apply(7, 0)
      await apply(8, 0)
      expect(await ends(reader)).toMatchObject([{ indexed: end(8), final: end(6) }])
      await apply(9, 8)
      expect(await ends(reader)).toMatchObject([{ indexed: end(9), final: end(8) }])
    })
  })

  test('orders to hooks stand until the state that follows them is saved', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      expect(await writer.claimHooks()).toBe(true)
      await writer.saveHooks([{ name: 'a', stateJson: '1', takenOrderJson: null }])
      await writer.orderHook('a', { orderJson: 'x' })
      await writer.orderHook('b', { paused: true })
      const rows = async () => {
        await nextTurn()
        return await reader.listHooks()
      }
      const b = { name: 'b', paused: true, orderJson: null, stateJson: null }
      expect(await rows()).toEqual([{ name: 'a', paused: false, orderJson: 'x', stateJson: '1' }, b])
      await writer.saveHooks([{ name: 'a', stateJson: '2', takenOrderJson: 'an older one' }])
      expect(await rows()).toEqual([{ name: 'a', paused: false, orderJson: 'x', stateJson: '2' }, b])
      await writer.saveHooks([{ name: 'a', stateJson: '3', takenOrderJson: 'x' }])
      await writer.orderHook('b', { paused: false })
      expect(await rows()).toEqual([
        { name: 'a', paused: false, orderJson: null, stateJson: '3' },
        { ...b, paused: false },
      ])
    })
  })

  test('the position before a time is that of the last record before', async () => {
    await withStore(create, { rankThreshold: 4 }, async (writer, reader) => {
      await writer.openChain(identityOf(5))
      const step = { kind: 19, gap: 1, who: 1, whom: 1, what: 1, text: 3 }
      const blocks = generateBlocks(5, [], [step, step, step], 'a')
      await writer.applyBlocks(5, batchOf(blocks))
      await writer.revertBlocks(5, blocks.at(-1)?.number ?? 0, unixMilliseconds(1))
      await nextTurn()
      const made = blocks.flatMap(({ events }) =>
        events.flatMap((event) => (event.kind === 'attestationMade' ? [event.attestation] : [])),
      )
      for (const { attestTimestamp } of made) {
        const after = await reader.findPositionBefore(5, attestTimestamp)
        const { changes } = await reader.listRecordsBetween(5, { after, upTo: 2 ** 50 }, 100)
        expect(changes).toHaveLength(made.filter((each) => each.attestTimestamp >= attestTimestamp).length)
      }
    })
  })
}

function isBehind(next: SpanPlace, place: SpanPlace): boolean {
  return next.after > place.after || (next.settledAfter ?? -1) > (place.settledAfter ?? -1)
}

async function ends(reader: HookReads) {
  await nextTurn()
  return await reader.listChainEnds()
}

function note(known: Map<string, boolean>, change: Change): void {
  if (change.kind === 'schema') known.set(`schema ${idOf(change.schema)}`, false)
  if (change.kind !== 'attestation' && change.kind !== 'revocation') return
  known.set(`attestation ${idOf(change.attestation)}`, change.attestation.revocation !== null)
}

async function recordsOf(reader: IndexReader & ChangeJournal): Promise<[string, boolean][]> {
  const lines = (await exportOf(reader)).map((line) => JSON.parse(line) as Record<string, unknown>)
  return lines
    .filter(({ type }) => type === 'schema' || type === 'attestation')
    .map(({ type, protocol, id, revoked }): [string, boolean] => [
      `${String(type)} ${String(protocol)} ${String(id)}`,
      revoked === true,
    ])
    .toSorted(byId)
}

function idOf({ key }: StoredAttestation | StoredSchema): string {
  return `${key.protocol} ${formatCompositeId(key)}`
}

function byId([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0
}
