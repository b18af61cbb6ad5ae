import { expect, test } from 'vitest'
import { everyAttestation, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { daySeconds, formatDay } from '@attestry/core/model/time.ts'
import { addressAt, blockTimestamp, generateBlocks, schemaId } from './generatedChain.ts'
import { batchOf, identityOf, type TestStoreOptions } from './storeFactory.ts'

interface QueriedStore<Limits> {
  openWriter(setting: 'all'): IndexWriter
  openReader(limits: Limits): IndexReader
  remove(): Promise<void>
}

const chainId = 5

const address = addressAt(1)
const schema = { chainId, protocol: 'eas', localId: schemaId(0) }

const lists: readonly Partial<AttestationFilter>[] = [
  { chainId },
  { chainId, protocol: 'eas' },
  { schema },
  { schema, attester: address },
  { attester: address, chainId },
  { attester: address, chainId, protocol: 'eas' },
  { recipient: { kind: 'address', address } },
  { recipient: { kind: 'address', address }, protocol: 'eas' },
]

/** Tests that counts by whether records are revoked look at no record that is not. */
export function testRevokedCounts<Limits>(
  create: (options: TestStoreOptions) => Promise<QueriedStore<Limits>>,
  ample: Limits,
): void {
  test('counts of unrevoked records, in all, in a span and by day, look only at revoked ones', async () => {
    // Every twentieth step revokes one of 800 records, of which a block has two.
    const life = Array.from({ length: 800 }, (_, index) => {
      const kind = index % 20 === 19 ? 2 : 10
      return {
        kind,
        gap: index % 2,
        who: 1,
        whom: 1,
        what: kind === 2 ? index - 9 : 2 * (index % 40),
        text: 3,
      }
    })
    const blocks = generateBlocks(chainId, [], life, 'a')
    const store = await create({ rankThreshold: 1 })
    const writer = store.openWriter('all')
    const few = store.openReader({ ...ample, countRowsMax: 60, countAtOnceMax: 30 })
    const all = store.openReader(ample)
    try {
      await writer.openChain(identityOf(chainId))
      await writer.applyBlocks(chainId, batchOf(blocks))
      for (const list of lists) {
        for (const revoked of [true, false]) {
          const filter: AttestationFilter = { ...everyAttestation, ...list, revoked }
          const request = { filter, order: 'newestFirst', after: null, limit: 1_000 } as const
          const { rows } = await all.sliceAttestations(request, { detail: false, schema: false })
          expect(rows.length).toBeGreaterThan(revoked ? 5 : 100)
          expect(await few.countAttestations(filter)).toBe(rows.length)
          const days = Map.groupBy(rows, ({ attestTimestamp }) =>
            formatDay(Math.floor(attestTimestamp / daySeconds)),
          )
          const groups = await few.groupAttestations({ by: 'day', filter, page: 1, size: 100 })
          expect(groups.rows).toEqual([...days].map(([key, { length: count }]) => ({ key, count })))
          const [attestedFrom, attestedBefore] = [20, 300].map(
            (block) => Math.floor(blockTimestamp(block) / daySeconds) * daySeconds,
          ) as [number, number]
          const span = { ...filter, attestedFrom, attestedBefore }
          const within = rows.filter(
            (row) => row.attestTimestamp >= attestedFrom && row.attestTimestamp < attestedBefore,
          )
          expect(within.length).toBeLessThan(rows.length)
          expect(await few.countAttestations(span)).toBe(within.length)
        }
      }
    } finally {
      await few.close()
      await all.close()
      await writer.close()
      await store.remove()
    }
  })
}
