import { expect, test } from 'vitest'
import { everyAttestation } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { generateBlocks } from './generatedChain.ts'
import { batchOf, identityOf, type TestStoreOptions } from './storeFactory.ts'

interface QueriedStore<Limits> {
  openWriter(setting: 'all'): IndexWriter
  openReader(limits: Limits): IndexReader
  remove(): Promise<void>
}

const chainId = 5

/** Tests that the records of one protocol are found without those of another one that came before or after. */
export function testProtocolSpans<Limits>(
  create: (options: TestStoreOptions) => Promise<QueriedStore<Limits>>,
  ample: Limits,
): void {
  test('the records of a protocol are found beyond very many of another one', async () => {
    const life = Array.from({ length: 1_100 }, () => ({
      kind: 10,
      gap: 1,
      who: 1,
      whom: 2,
      what: 0,
      text: 3,
    }))
    // Every second one is of EAS: 200 of Sign Protocol in two days remain, and 350 of EAS in the four days after them.
    const blocks = generateBlocks(chainId, [], life, 'a').map((block) => ({
      ...block,
      events: block.events.filter(
        (event) =>
          event.kind !== 'attestationMade' ||
          event.attestation.protocol === (block.number < 400 ? 'sign' : 'eas'),
      ),
    }))
    const store = await create({ rankThreshold: 1 })
    const writer = store.openWriter('all')
    const reader = store.openReader({ ...ample, sliceRowsMax: 120 })
    const all = store.openReader(ample)
    try {
      await writer.openChain(identityOf(chainId))
      await writer.applyBlocks(chainId, batchOf(blocks))
      for (const [protocol, order] of [
        ['sign', 'newestFirst'],
        ['eas', 'oldestFirst'],
      ] as const) {
        for (const narrowed of [{ protocol }, { protocol, chainId }]) {
          const filter = { ...everyAttestation, ...narrowed }
          const request = { filter, order, after: null, limit: 5 }
          const [found, expected] = await Promise.all(
            [reader, all].map((each) => each.sliceAttestations(request, { detail: false, schema: false })),
          )
          expect(expected?.rows).toHaveLength(5)
          expect(found).toEqual(expected)
        }
      }
    } finally {
      await reader.close()
      await all.close()
      await writer.close()
      await store.remove()
    }
  })
}
