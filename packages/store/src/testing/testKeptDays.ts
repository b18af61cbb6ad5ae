import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StoreTooMuchWorkError } from '@attestry/core/errors/storeErrors.ts'
import { zeroHash } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { daySeconds, formatDay, unixMilliseconds, unixSeconds } from '@attestry/core/model/time.ts'
import { everyAttestation, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { addresses, attestationId, generateBlocks, schemaId, type GeneratedBlock } from './generatedChain.ts'
import { historyRuns } from './historyShare.ts'
import { histories, playHistory } from './playHistory.ts'
import { batchOf, identityOf, type TestStoreOptions } from './storeFactory.ts'

interface Limits {
  readonly sliceRowsMax: number
  readonly countRowsMax: number
  readonly countAtOnceMax: number
  readonly countDurationMaxMs: number
}

interface QueriedStore {
  openWriter(setting: 'all'): IndexWriter
  openReader(limits: Limits): IndexReader
  remove(): Promise<void>
}

const chainId = 5

const lists: readonly Partial<AttestationFilter>[] = [
  { chainId, protocol: 'eas' },
  { schema: { chainId, protocol: null, localId: schemaId(0) } },
  ...addresses.slice(1, 3).map((attester) => ({ attester, chainId, protocol: 'eas' })),
  ...addresses.slice(1, 3).map((address) => ({ recipient: { kind: 'address', address } as const })),
]
const filters = lists.flatMap((list) =>
  [true, false].map((revoked): AttestationFilter => ({ ...everyAttestation, ...list, revoked })),
)

async function daysOf(reader: IndexReader, filter: AttestationFilter) {
  return (await reader.groupAttestations({ by: 'day', filter, page: 1, size: 10_000 })).rows
}

/** The same, from all rows. */
async function daysOfRows(reader: IndexReader, filter: AttestationFilter) {
  const request = { filter, order: 'newestFirst', after: null, limit: 100_000 } as const
  const { rows } = await reader.sliceAttestations(request, { detail: false, schema: false })
  const days = Map.groupBy(rows, ({ attestTimestamp }) => Math.floor(attestTimestamp / daySeconds))
  return [...days].map(([day, { length: count }]) => ({ key: formatDay(day), count }))
}

/** Tests of the counts by day that a reader keeps while the index moves. A reader may see one state for a whole turn. */
export function testKeptDays(
  create: (options: TestStoreOptions) => Promise<QueriedStore>,
  limits: Limits,
  share: number,
): void {
  test('counts by day and by whether records are revoked stay those of the rows while the index moves', async () => {
    await fc.assert(
      fc.asyncProperty(histories, fc.constantFrom(1, 1_000), async (history, rankThreshold) => {
        const store = await create({ rankThreshold })
        const writer = store.openWriter('all')
        const reader = store.openReader(limits)
        try {
          let chains = new Map<number, readonly GeneratedBlock[]>()
          for (const [index, act] of history.entries()) {
            // The forks of each act have hashes of their own.
            chains = await playHistory(writer, [act], chains, index)
            await nextTurn()
            for (const filter of filters) {
              expect(await daysOf(reader, filter)).toEqual(await daysOfRows(reader, filter))
            }
          }
        } finally {
          await reader.close()
          await writer.close()
          await store.remove()
        }
      }),
      { numRuns: historyRuns(20, share), verbose: 1 },
    )
  })

  test('the days of old records change with their revocations, settled claims and reverts', async () => {
    // A record a day, at blocks 180, 360, …; that of block 360 claims a revocation some blocks later.
    const life = Array.from({ length: 6 }, (_, index) => {
      return { kind: 10, gap: 180, who: 1, whom: 1, what: 1, text: index === 1 ? 1 : 3 }
    })
    const made = generateBlocks(chainId, [], life, 'a')
    const end = made.length
    const after = generateBlocks(chainId, made, [{ ...life[0], gap: 20, kind: 6 } as (typeof life)[0]], 'b')
    const revoking = after.map((block): GeneratedBlock => {
      if (block.number !== end + 3) return { ...block, events: [] }
      const timestamp = unixSeconds(block.timestamp)
      const of = { protocol: 'sign', localId: attestationId(0), transactionHash: zeroHash, reason: '' }
      const position = eventPosition(block.number, 0)
      return { ...block, events: [{ kind: 'attestationRevoked', position, ...of, timestamp }] }
    })
    const store = await create({ rankThreshold: 1 })
    const writer = store.openWriter('all')
    const reader = store.openReader(limits)
    const revoked: number[] = []
    const compare = async () => {
      await nextTurn()
      for (const filter of filters) {
        expect(await daysOf(reader, filter)).toEqual(await daysOfRows(reader, filter))
      }
      const counts = await daysOf(reader, {
        ...everyAttestation,
        attester: addresses[1] ?? null,
        revoked: true,
      })
      revoked.push(counts.length)
    }
    const apply = async (blocks: readonly GeneratedBlock[]) => {
      await writer.applyBlocks(chainId, batchOf(blocks))
      await compare()
    }
    const revertTo = async (block: number) => {
      await writer.revertBlocks(chainId, block, unixMilliseconds(1))
      await compare()
    }
    try {
      await writer.openChain(identityOf(chainId))
      // Up to the record that claims, then until its claim is settled.
      await apply(made.slice(0, 361))
      await apply(made.slice(361, 400))
      await apply(made.slice(400))
      await apply(revoking)
      await revertTo(end)
      await revertTo(end - 100)
      await revertTo(361)
    } finally {
      await reader.close()
      await writer.close()
      await store.remove()
    }
    expect(revoked).toEqual([0, 1, 1, 2, 1, 1, 0])
  })

  test('only days on which records change are counted anew', async () => {
    const life = Array.from({ length: 400 }, () => ({ kind: 10, gap: 2, who: 1, whom: 1, what: 1, text: 3 }))
    const blocks = generateBlocks(chainId, [], life, 'a')
    const filter = {
      ...everyAttestation,
      attester: addresses[1] ?? null,
      chainId,
      protocol: 'eas',
      revoked: false,
    }
    const store = await create({ rankThreshold: 1 })
    const writer = store.openWriter('all')
    const few = { ...limits, countRowsMax: 200, countAtOnceMax: 200 }
    const [kept, late] = [store.openReader(few), store.openReader(few)]
    try {
      await writer.openChain(identityOf(chainId))
      for (let from = 0; from < blocks.length; from += 60) {
        await writer.applyBlocks(chainId, batchOf(blocks.slice(from, from + 60)))
        await nextTurn()
        await daysOf(kept, filter)
      }
      expect(await daysOf(kept, filter)).toEqual(await daysOfRows(kept, filter))
      await expect(daysOf(late, filter)).rejects.toBeInstanceOf(StoreTooMuchWorkError)
    } finally {
      await kept.close()
      await late.close()
      await writer.close()
      await store.remove()
    }
  })
}
