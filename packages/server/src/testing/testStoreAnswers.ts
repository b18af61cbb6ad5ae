import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import { unixMilliseconds } from '@attestry/core/model/time.ts'
import { decodeAttestedPayload } from '@attestry/core/protocols/decodeAttestedPayload.ts'
import { listFieldPaths } from '@attestry/core/protocols/listFieldPaths.ts'
import { groupNames } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import { createServer } from './createServer.ts'
import { formatRowCursor } from '../pipeline/rowCursor.ts'
import type { ApiTestStore, CreateApiTestStore } from './apiTestStore.ts'
import { createSampleIndex, sampleChain } from '../pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleChainId,
  sampleHash,
} from '../pipeline/testing/sampleRecords.ts'
import { openTestIndex, writeContent, type IndexContent } from '../pipeline/testing/testIndex.ts'

/** A server over a store must give, byte for byte, the answers of a server over SQLite with the same records. */
export function describeSameAnswers(name: string, create: CreateApiTestStore): void {
  describe(`the answers over ${name}`, () => {
    const overSqlite = serve(openTestIndex(createSampleIndex()))
    const { server } = useFilledStore(create)
    afterAll(() => overSqlite.close())

    const [registrant, attester, recipient, nobody] = [1, 2, 3, 4].map(sampleAddress)
    const cursor = formatRowCursor({
      timestamp: 1_700_100_010,
      chainId: sampleChainId,
      position: eventPosition(2_010, 0),
    })
    test.each([
      '/scan/top-schemas',
      '/scan/trending-schemas',
      '/scan/latest-attestations',
      '/scan/schemas?size=100',
      '/scan/schemas?size=5&page=3',
      '/scan/schemas?keyword=Schema+1',
      '/scan/schemas/onchain_evm_11155111_0x2',
      '/scan/schemas/onchain_evm_11155111_0xff',
      '/scan/attestations?size=100',
      '/scan/attestations?size=100&fields=detail',
      '/scan/attestations?size=7&page=4',
      '/scan/attestations?page=2147483647&size=100',
      '/scan/attestations?schemaId=onchain_evm_11155111_0x1&page=2',
      '/scan/attestations?schemaId=onchain_evm_11155111_0x2&fields=detail',
      '/scan/attestations?schemaId=onchain_evm_1_0x2',
      '/scan/attestations?keyword=order+%2242%22&fields=detail',
      '/scan/attestations/onchain_evm_11155111_0x3',
      '/scan/attestations/onchain_evm_11155111_0x4',
      '/scan/attestations/onchain_evm_11155111_0x5',
      '/scan/attestations/onchain_evm_11155111_0xff',
      `/scan/addresses/${registrant}/statistics`,
      `/scan/addresses/${attester}/statistics`,
      `/scan/addresses/${nobody}/statistics`,
      `/scan/addresses/${registrant}/schemas?size=100`,
      `/scan/addresses/${nobody}/schemas`,
      `/scan/addresses/${attester}/attestations?size=100`,
      `/scan/addresses/${recipient}/attestations?type=received&page=2`,
      `/scan/addresses/${recipient}/attestations?type=created`,
      `/scan/addresses/${attester}/attestations?schemaId=0x2`,
      `/scan/addresses/${attester}/attestations?schemaId=onchain_evm_11155111_0x2&chainId=11155111`,
      `/scan/addresses/${attester}/attestations?schemaId=onchain_evm_11155111_0x2&chainId=1`,
      `/scan/addresses/${attester}/attestations?schemaId=onchain_evm_1_0x2&type=created`,
      `/scan/addresses/${attester}/attestations?chainId=1`,
      '/scan/search',
      '/scan/search?keyword=Schema+12',
      '/scan/search?keyword=order+%2242%22',
      `/scan/search?keyword=${attester}&filter=address`,
      `/scan/attestations?attester=${attester}&size=100&include=decoded`,
      `/scan/attestations?attester=${attester}&chainId=1`,
      `/scan/attestations?recipient=${recipient}&schemaId=onchain_evm_11155111_0x2`,
      '/scan/attestations?recipient=did:key:%22z%22',
      '/scan/attestations?recipient=0xDEAD',
      '/scan/attestations?chainId=11155111&size=7&page=3',
      '/scan/attestations?protocol=sign&size=7&page=4',
      '/scan/attestations?protocol=eas',
      '/scan/attestations?revoked=true&fields=detail',
      '/scan/attestations?revoked=false&size=4&page=5&include=decoded',
      '/scan/attestations?expired=false&page=3',
      '/scan/attestations?expired=true',
      '/scan/attestations?validAt=1700250000&size=100',
      '/scan/attestations?attestedFrom=1700100003&attestedBefore=1700100005',
      '/scan/attestations?revokedFrom=1&revokedBefore=1700300000',
      '/scan/attestations?linkedAttestation=onchain_evm_11155111_0x1',
      '/scan/attestations?indexingValue=order+%2242%22',
      '/scan/attestations?dataLocation=IPFS&revoked=true',
      '/scan/attestations?cursor=*&size=100&fields=detail&include=decoded',
      // The index of this server has the fields; the other decodes each row.
      '/scan/attestations?field[score]=258',
      '/scan/attestations?schemaId=onchain_evm_11155111_0x1&field[score]=0258&size=2&page=2&fields=detail',
      '/scan/attestations?schemaId=onchain_evm_11155111_0x1&field[score][gte]=1&size=3&include=decoded',
      '/scan/attestations?schemaId=onchain_evm_11155111_0x1&field[score][in]=[%222%22,%22258%22]&revoked=false',
      '/scan/attestations?schemaId=onchain_evm_11155111_0x1&field[score][lt]=258',
      '/scan/attestations?field[score]=258&cursor=*&size=2',
      '/scan/attestations?schemaId=onchain_evm_11155111_0x1&field[none]=1',
      '/scan/attestations?cursor=*&size=3&schemaId=onchain_evm_11155111_0x1',
      '/scan/attestations?cursor=*&size=2&revoked=true',
      `/scan/attestations?cursor=${cursor}&size=3`,
      `/scan/attestations?cursor=${cursor}&dataLocation=ONCHAIN`,
      '/scan/attestations?keyword=order+%2242%22&include=decoded',
      `/scan/addresses/${attester}/attestations?include=decoded&size=100`,
      `/scan/schemas?registrant=${registrant}&size=5&page=2`,
      `/scan/schemas?resolver=${sampleAddress(0xfe)}&size=5&page=3`,
      '/scan/schemas?chainId=11155111&protocol=sign&revocable=true',
      '/scan/schemas?registeredFrom=1700000002&registeredBefore=1700000005',
      '/scan/schemas?cursor=*&size=5',
      '/scan/schemas?cursor=*&revocable=false',
      '/scan/schemas/by-ids?ids=onchain_evm_11155111_0x2,onchain_evm_1_0x2,SPS_x,onchain_evm_11155111_0x1',
      '/scan/attestations/by-ids?ids=onchain_evm_11155111_0x4,onchain_evm_1_0x2,onchain_evm_11155111_0x4',
      '/scan/attestations/onchain_evm_11155111_0x3?include=decoded',
      `/scan/transactions/${sampleHash(77)}?chainId=11155111`,
      `/scan/transactions/${sampleAttestation(3).transactionHash}`,
      `/scan/transactions/${sampleHash(77)}?chainId=1`,
      ...groupNames.flatMap((by) =>
        [
          '',
          '&revoked=false',
          `&recipient=${recipient}`,
          '&schemaId=onchain_evm_11155111_0x1&size=1&page=2',
        ].map((filter) => `/scan/aggregate/attestations?by=${by}${filter}`),
      ),
      '/scan/stats',
      '/scan/stats?from=2023-11-15&before=2023-11-16',
      '/scan/schemas/onchain_evm_11155111_0x1/activity',
      `/scan/addresses/${attester}/activity`,
      `/scan/addresses/${recipient}/activity`,
      `/scan/addresses/${registrant}/activity`,
      `/scan/addresses/${nobody}/activity`,
      '/index/schemas',
      `/index/schemas?registrant=${registrant}&size=5&page=undefined`,
      '/index/schemas/onchain_evm_11155111_0x2',
      '/index/attestations?mode=onchain&size=20&page=2',
      `/index/attestations?attester=${attester}&recipient=undefined`,
      '/index/attestations?indexingValue=order+%2242%22',
      '/index/attestations/onchain_evm_11155111_0x3',
      '/index/attestations/onchain_evm_11155111_0x4',
    ])('%s', async (url) => {
      const [answer, expected] = await Promise.all([server().inject(url), overSqlite.inject(url)])
      expect(answer.body).toBe(expected.body)
      expect(answer.statusCode).toBe(expected.statusCode)
    })
  })
}

/** A server over a store must see each write at once. */
export function describeFollowing(name: string, create: CreateApiTestStore): void {
  describe(`the answers over ${name}`, () => {
    const { server, writer } = useFilledStore(create)

    test('follow every block that is applied, also where they were asked for before', async () => {
      const url = '/scan/attestations?follow'
      const firstBlock = (sampleChain().indexedBlock ?? 0) + 1
      for (let i = 0; i < 4; i++) {
        for (let again = 0; again < 3; again++) {
          expect((await server().inject(url)).json()).toMatchObject({ data: { total: 25 + i } })
        }
        const blockNumber = firstBlock + i
        const attestation = sampleAttestation(1_000 + i, { position: eventPosition(blockNumber, 0) })
        await apply(blockNumber, [{ kind: 'attestationMade', position: attestation.position, attestation }])
      }
    })

    test('say when the chains have reached their heads', async () => {
      await writer().saveChainStatus(sampleChain({ phase: 'backfilling', reachedHead: false }))
      await nextTurn()
      expect((await server().inject('/readyz')).statusCode).toBe(503)
      await writer().saveChainStatus(sampleChain())
      await nextTurn()
      expect((await server().inject('/readyz')).statusCode).toBe(200)
    })

    async function apply(blockNumber: number, events: readonly DomainEvent[]): Promise<void> {
      await writer().applyBlocks(sampleChainId, {
        fromBlock: blockNumber,
        checkpoint: { blockNumber, timestamp: null },
        events,
        recentBlocks: [],
        forgetBlocksBelow: 0,
        storedAt: unixMilliseconds(1_700_000_000_000),
      })
      // The reader sees one state of the index for a whole turn of the event loop, and writing took none.
      await nextTurn()
    }
  })
}

/** A store with some content, and a server over it, for the tests of the block that calls this. */
export function useFilledStore(create: CreateApiTestStore, content: IndexContent = createSampleIndex()) {
  let store: ApiTestStore
  let writer: IndexWriter
  let reader: IndexReader
  let server: FastifyInstance

  beforeAll(async () => {
    store = await create()
    writer = store.openWriter()
    const opened = store.openReader()
    reader = opened
    server = serve(opened)
    await writeContent(writer, content)
    await nextTurn()
  })
  afterAll(async () => {
    await server.close()
    await Promise.all([reader.close(), writer.close()])
    await store.remove()
  })
  return { server: () => server, writer: () => writer }
}

function serve(reader: IndexReader): FastifyInstance {
  return createServer({
    reader,
    decodePayload: decodeAttestedPayload,
    listFieldPaths,
    now: () => unixMilliseconds(1_700_000_005_000),
  })
}
