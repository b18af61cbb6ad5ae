import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { offchainLayout } from '../offchainStore/offchainDatabase.ts'
import type { OffchainEntry, OffchainStore } from '../offchainStore/offchainStore.ts'
import { openOffchainStore } from '../offchainStore/openOffchainStore.ts'
import { openSqliteBeside } from '@attestry/store/beside/openSqliteBeside.ts'
import { createEasTestServer, type EasTestServer } from '@attestry/server/testing/easServer.ts'
import { sampleAddress } from '@attestry/server/pipeline/testing/sampleRecords.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestry-offchain-'))
const localId = `0x${'5a'.repeat(32)}`
const entry: OffchainEntry = {
  id: `offchain_evm_10_${localId}`,
  kind: 'attestation',
  protocol: 'eas',
  chainId: 10,
  contract: sampleAddress(900),
  localId,
  signer: sampleAddress(901),
  schemaId: null,
  madeAt: 1_700_000_000,
  storedAt: 1_700_000_001_000,
  storedBy: 'anyone',
  contentId: 'Qm1',
  body: {
    recipients: [],
    indexingValue: '',
    linked: '',
    validUntil: '0',
    revocable: true,
    payload: '0x',
    text: '{}',
  },
  revocation: null,
}

let store: OffchainStore
let server: EasTestServer
beforeAll(() => {
  store = openOffchainStore(openSqliteBeside(join(folder, 'index.db.offchain'), offchainLayout))
  server = createEasTestServer({
    storage: { store, writers: 'anyone', quota: { key: 9, address: 9, bytes: 2 ** 24 } },
  })
})
afterAll(async () => {
  await server.app.close()
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const unindexed = 'onchain_evm_10_0x1a2b'

/** Answers of each interface with the statement, if there is one. */
async function askAll(): Promise<unknown> {
  const rows = async (query: string) => (await server.ask(query)).data as unknown
  const byIds = await server.app.inject(`/scan/attestations/by-ids?ids=${entry.id},${unindexed}`)
  const single = await server.app.inject(`/scan/attestations/${entry.id}`)
  const bySdk = await server.app.inject(`/index/attestations/${entry.id}`)
  return {
    list: await rows('{ attestations(where: { isOffchain: { equals: true } }) { id } }'),
    one: await rows(`{ attestation(where: { id: "${localId}" }) { id } }`),
    count: await rows(
      `{ aggregateAttestation(where: { attester: { equals: "${entry.signer}" } }) { _count { _all } } }`,
    ),
    byIds: byIds
      .json<{ data: { rows: readonly ({ id: string } | null)[] } }>()
      .data.rows.map((row) => row?.id ?? null),
    single: single.statusCode,
    bySdk: bySdk.statusCode,
  }
}

const absent = {
  list: { attestations: [] },
  one: { attestation: null },
  count: { aggregateAttestation: { _count: { _all: 0 } } },
  byIds: [null, null],
  single: 404,
  bySdk: 404,
}

test('no answer about the store is kept by the version of the index, which the store does not move', async () => {
  // The second answer to a request is kept, the third would be the kept one.
  for (let times = 0; times < 3; times++) expect(await askAll()).toEqual(absent)
  await store.add(entry, null)
  for (let times = 0; times < 3; times++) {
    expect(await askAll()).toEqual({
      list: { attestations: [{ id: localId }] },
      one: { attestation: { id: localId } },
      count: { aggregateAttestation: { _count: { _all: 1 } } },
      byIds: [entry.id, null],
      single: 200,
      bySdk: 200,
    })
  }
  await store.remove(entry.id, 'asked for', 1_700_000_002_000)
  expect(await askAll()).toEqual({ ...absent, single: 410 })
})
