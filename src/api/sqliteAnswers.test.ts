import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DomainEvent } from '../model/domainEvent.ts'
import { eventPosition } from '../model/position.ts'
import { unixMilliseconds } from '../model/time.ts'
import { migrateSqlite } from '../store/sqlite/migrateSqlite.ts'
import { openSqliteReader } from '../store/sqlite/openSqliteReader.ts'
import { openSqliteWriter } from '../store/sqlite/openSqliteWriter.ts'
import { createServer } from './createServer.ts'
import { createMemoryReader } from './testing/createMemoryReader.ts'
import { eventsOfIndex } from './testing/eventsOfIndex.ts'
import { createSampleIndex, sampleChain } from './testing/sampleIndex.ts'
import { sampleAddress, sampleAttestation, sampleChainId } from './testing/sampleRecords.ts'

/**
 * The same records in SQLite and in arrays: what the API answers over the one it must answer over the other. Only the times
 * of storing differ, and are left out.
 */
describe('the answers over SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-api-'))
  const path = join(folder, 'index.db')
  migrateSqlite(path)
  const writer = openSqliteWriter(path)
  const reader = openSqliteReader(path)
  const index = createSampleIndex()
  const overSqlite = createServer({ reader })
  const overArrays = createServer({ reader: createMemoryReader(index) })

  beforeAll(async () => {
    await writer.openChain({ chainId: sampleChainId, name: 'Sepolia', contracts: [] })
    await apply(1, 5_000, [...eventsOfIndex(index)])
  })
  afterAll(async () => {
    await Promise.all([overSqlite.close(), overArrays.close()])
    await Promise.all([reader.close(), writer.close()])
    rmSync(folder, { recursive: true })
  })

  const [registrant, attester, recipient, nobody] = [1, 2, 3, 4].map(sampleAddress)
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
  ])('%s', async (url) => {
    const [sqlite, arrays] = await Promise.all([overSqlite.inject(url), overArrays.inject(url)])
    expect(withoutTimes(sqlite.body)).toEqual(withoutTimes(arrays.body))
    expect(sqlite.statusCode).toBe(arrays.statusCode)
  })

  test('follow every block that is applied, also where they were asked for before', async () => {
    const url = '/scan/attestations?follow'
    for (let i = 0; i < 4; i++) {
      for (let again = 0; again < 3; again++) {
        const response = await overSqlite.inject(url)
        expect(response.json()).toMatchObject({ data: { total: 25 + i } })
      }
      const attestation = sampleAttestation(1_000 + i, { position: eventPosition(5_001 + i, 0) })
      await apply(5_001 + i, 5_001 + i, [
        { kind: 'attestationMade', position: attestation.position, attestation },
      ])
    }
  })

  test('say when the chains have reached their heads', async () => {
    await writer.saveChainStatus(sampleChain({ phase: 'backfilling', reachedHead: false }).status)
    await nextTurn()
    expect((await overSqlite.inject('/readyz')).statusCode).toBe(503)
    await writer.saveChainStatus(sampleChain().status)
    await nextTurn()
    expect((await overSqlite.inject('/readyz')).statusCode).toBe(200)
  })

  async function apply(fromBlock: number, toBlock: number, events: readonly DomainEvent[]): Promise<void> {
    await writer.applyBlocks(sampleChainId, {
      fromBlock,
      checkpoint: { blockNumber: toBlock, timestamp: null },
      events,
      recentBlocks: [],
      forgetBlocksBelow: 0,
      storedAt: unixMilliseconds(1_700_000_000_000),
    })
    // The reader sees one state of the index for a whole turn of the event loop, and writing took none.
    await nextTurn()
  }
})

function withoutTimes(body: string): unknown {
  return JSON.parse(body.replaceAll(/"(syncAt|lastSyncAt)":"[0-9]+"/g, '"$1":"0"'))
}
