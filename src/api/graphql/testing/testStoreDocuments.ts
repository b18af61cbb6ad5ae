import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { unixMilliseconds } from '../../../model/time.ts'
import { decodeAttestedPayload } from '../../../protocols/decodeAttestedPayload.ts'
import type { IndexReader } from '../../../store/indexReader.ts'
import type { IndexWriter } from '../../../store/indexWriter.ts'
import type { ApiTestStore, CreateApiTestStore } from '../../testing/apiTestStore.ts'
import { eventsOfIndex } from '../../testing/eventsOfIndex.ts'
import { createSampleIndex } from '../../testing/sampleIndex.ts'
import { sampleChainId } from '../../testing/sampleRecords.ts'
import { createGraphqlSchema } from '../createGraphqlSchema.ts'
import { documentValues } from './documentValues.ts'
import { createTestServer, type TestServer } from './graphqlServer.ts'
import { randomDocument } from './randomDocument.ts'

/** Random documents over a store and over arrays; `documents` is how many. */
export function describeStoreDocuments(name: string, create: CreateApiTestStore, documents: number): void {
  describe(`any document over ${name}`, () => {
    const index = createSampleIndex()
    const shared = { decodePayload: decodeAttestedPayload }
    const overArrays = createTestServer(shared, index)
    let store: ApiTestStore
    let writer: IndexWriter
    let reader: IndexReader
    let overStore: TestServer

    beforeAll(async () => {
      store = await create()
      writer = store.openWriter()
      const opened = store.openReader()
      reader = opened
      overStore = createTestServer({ ...shared, reader: opened, queries: opened })
      await writer.openChain({ chainId: sampleChainId, name: 'Sepolia', contracts: [] })
      await writer.applyBlocks(sampleChainId, {
        fromBlock: 1,
        checkpoint: { blockNumber: 5_000, timestamp: null },
        events: [...eventsOfIndex(index)],
        recentBlocks: [],
        forgetBlocksBelow: 0,
        storedAt: unixMilliseconds(1_700_000_000_000),
      })
      await nextTurn()
    })
    afterAll(async () => {
      await Promise.all([overStore.app.close(), overArrays.app.close()])
      await Promise.all([reader.close(), writer.close()])
      await store.remove()
    })

    test('is answered as over arrays, but for the times of storing', async () => {
      const schema = createGraphqlSchema()
      await fc.assert(
        fc.asyncProperty(fc.nat(), async (seed) => {
          const { query, variables } = randomDocument(schema, seed, { values: documentValues, depthMax: 4 })
          // The state of a chain is not part of what blocks hold.
          if (query.includes('chains')) return
          const [stored, arrays] = await Promise.all([
            overStore.post(query, variables),
            overArrays.post(query, variables),
          ])
          expect(comparable(stored), query).toEqual(comparable(arrays))
        }),
        { numRuns: documents },
      )
    })

    test('whose slices end early are walked to the end all the same', async () => {
      const hasty = store.openReader({ sliceRowsMax: 3 })
      const { app, post } = createTestServer({ ...shared, reader: hasty, queries: hasty })
      for (const orderBy of ['NEWEST_FIRST', 'OLDEST_FIRST']) {
        const met: string[] = []
        let cursor: string | null = null
        let slices = 0
        do {
          const { data } = await post(
            `query ($after: String, $orderBy: RecordOrder) { attestations(filter: { dataLocation: IPFS }, first: 2, after: $after, orderBy: $orderBy) {
            nodes { attestationId } pageInfo { hasNextPage endCursor } } }`,
            { after: cursor, orderBy },
          )
          const { nodes, pageInfo } = data!['attestations'] as {
            readonly nodes: readonly { readonly attestationId: string }[]
            readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
          }
          met.push(...nodes.map(({ attestationId }) => attestationId))
          cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null
          slices++
        } while (cursor !== null && slices < 50)
        expect(met).toEqual(['0x3'])
        expect(slices).toBeGreaterThan(3)
      }
      await app.close()
      await hasty.close()
    })
  })
}

function comparable({
  data,
  errors,
}: {
  readonly data: unknown
  readonly errors: readonly unknown[]
}): unknown {
  const text = JSON.stringify(data ?? null)
  return {
    data: JSON.parse(text.replaceAll(/"(syncAt|lastSyncAt)(Again)?":"[0-9]+"/g, '"$1":"0"')) as unknown,
    errors: errors.map((error) => JSON.stringify(error)).sort(),
  }
}
