import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { ApiTestStore, CreateApiTestStore } from './apiTestStore.ts'
import { createSampleIndex } from '../pipeline/testing/sampleIndex.ts'
import { writeContent } from '../pipeline/testing/testIndex.ts'
import { createGraphqlSchema } from '../interfaces/graphql/createGraphqlSchema.ts'
import { documentValues } from '../interfaces/graphql/testing/documentValues.ts'
import { createTestServer, type TestServer } from './graphqlServer.ts'
import { randomDocument } from '../interfaces/graphql/testing/randomDocument.ts'

const shared = { decodePayload: decodeAttestedPayload }

/** Random documents must be answered over a store as over SQLite; `documents` is how many. */
export function describeSameDocuments(name: string, create: CreateApiTestStore, documents: number): void {
  describe(`any document over ${name}`, () => {
    const overSqlite = createTestServer(shared)
    const store = useFilledStore(create)
    let overStore: TestServer

    beforeAll(() => {
      overStore = createTestServer({ ...shared, reader: store.reader() })
    })
    afterAll(() => Promise.all([overStore.app.close(), overSqlite.app.close()]))

    test('is answered as over SQLite', async () => {
      const schema = createGraphqlSchema()
      await fc.assert(
        fc.asyncProperty(fc.nat(), async (seed) => {
          const { query, variables } = randomDocument(schema, seed, { values: documentValues, depthMax: 4 })
          const [answer, expected] = await Promise.all([
            overStore.post(query, variables),
            overSqlite.post(query, variables),
          ])
          expect(comparable(answer), query).toEqual(comparable(expected))
        }),
        { numRuns: documents },
      )
    })
  })
}

/** A slice that ends before its size is reached must not end the walk. */
export function describeEarlySlices(name: string, create: CreateApiTestStore): void {
  describe(`a walk over ${name}`, () => {
    const store = useFilledStore(create)

    test('whose slices end early are walked to the end all the same', async () => {
      const hasty = store.open({ sliceRowsMax: 3 })
      const { app, post } = createTestServer({ ...shared, reader: hasty })
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

/** A store with the sample content, for the tests of the block that calls this. */
function useFilledStore(create: CreateApiTestStore) {
  let store: ApiTestStore
  let writer: IndexWriter
  let reader: ReturnType<ApiTestStore['openReader']>

  beforeAll(async () => {
    store = await create()
    writer = store.openWriter()
    reader = store.openReader()
    await writeContent(writer, createSampleIndex())
    await nextTurn()
  })
  afterAll(async () => {
    await Promise.all([reader.close(), writer.close()])
    await store.remove()
  })
  const open: ApiTestStore['openReader'] = (limits) => store.openReader(limits)
  return { reader: () => reader, open }
}

/** The order of errors is not part of an answer. */
function comparable({
  data,
  errors,
}: {
  readonly data: unknown
  readonly errors: readonly unknown[]
}): unknown {
  return { data, errors: errors.map((error) => JSON.stringify(error)).sort() }
}
