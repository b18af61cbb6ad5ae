import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import { createServer } from '../../testing/createServer.ts'
import { openTestIndex } from '../../pipeline/testing/testIndex.ts'
import { createSampleIndex } from '../../pipeline/testing/sampleIndex.ts'
import {
  sampleAddress,
  sampleAttestation,
  sampleChainId,
  sampleHash,
  sampleSchema,
} from '../../pipeline/testing/sampleRecords.ts'
import { listenLocally } from '../../pipeline/testing/sendRaw.ts'
import { createIndexService } from '@attestry/test/sdks/indexService.ts'
import { recorded } from '@attestry/test/sdks/recordings.ts'

/**
 * The client of applications, against a server over SQLite: in `npm run test:sdks` the unmodified one. Its requests go
 * over the network; only the host differs from the client's default.
 */
const index = createSampleIndex()
index.schemas = [
  ...index.schemas,
  sampleSchema(13, {
    registrant: sampleAddress(7),
    maxValidFor: 2n ** 64n - 1n,
    rawText: '{"name":"raw \\"text\\""}',
    transactionSender: sampleAddress(0xabc),
  }),
]
index.attestations = [
  ...index.attestations,
  ...Array.from({ length: 80 }, (_, i) =>
    sampleAttestation(100 + i, { schemaLocalId: localIdOfCounter(13n), indexingValue: `order-${i % 8}` }),
  ),
  sampleAttestation(200, {
    schemaLocalId: localIdOfCounter(13n),
    attester: sampleAddress(8),
    indexingValue: 'undefined',
    transactionSender: sampleAddress(0xabc),
  }),
]
const attestationsTotal = 25 + 80 + 1

const reader = openTestIndex(index)
const app = createServer({ reader })
let port = 0

beforeAll(async () => {
  port = await listenLocally(app)
})
afterAll(() => app.close())
afterEach(() => vi.restoreAllMocks())

const id = (localId: string) => `onchain_evm_${sampleChainId}_${localId}`
const [registrant, attester, recipient, other] = [1, 2, 3, 8].map(sampleAddress)

describe.each(['', '/api'])('IndexService at the host with %j', (base) => {
  const createService = () => createIndexService(`http://127.0.0.1:${port}${base}`)

  const asked: string[] = []
  beforeEach(() => {
    const { fetch } = globalThis
    vi.spyOn(globalThis, 'fetch').mockImplementation((address, init) => {
      if (typeof address === 'string') asked.push(address.replace(/^http:..[^/]+/, ''))
      return fetch(address, init)
    })
  })

  test('reads a schema, whole', async () => {
    expect(await createService().querySchema(id('0xd'))).toEqual({
      id: id('0xd'),
      mode: 'onchain',
      name: 'Schema 13',
      description: 'The "13"th',
      registrant: '0xAb00000000000000000000000000000000000007',
      chainType: 'evm',
      chainId: '11155111',
      schemaId: '0xd',
      transactionHash: sampleHash(13),
      revocable: true,
      maxValidFor: '18446744073709551615',
      resolver: expect.stringMatching(/^0x[0-9a-fA-F]{38}Fe$/i),
      from: expect.stringMatching(/^0xab0+abc$/i),
      registerTimestamp: '1700000013000',
      data: [{ name: 'score', type: 'uint256' }],
      originalData: '{"name":"raw \\"text\\""}',
      attestationCount: 81,
      attesterCount: 2,
      extra: {},
      syncAt: '1700000000123',
    })
  })

  test('reads an attestation, whole, with its schema', async () => {
    const service = createService()
    const attestation = await service.queryAttestation(id('0x3'), { parseOffChainData: true })
    expect(attestation).toEqual({
      id: id('0x3'),
      mode: 'onchain',
      chainType: 'evm',
      chainId: '11155111',
      attestationId: '0x3',
      transactionHash: sampleHash(0x1003),
      indexingValue: 'order "42"',
      schemaId: '0x2',
      fullSchemaId: id('0x2'),
      linkedAttestation: id('0x1'),
      attester: expect.stringMatching(/^0xab0+2$/i),
      from: '',
      attestTimestamp: '1700100003000',
      validUntil: '18446744073709551615',
      revoked: true,
      revokeTimestamp: '1700200000000',
      revokeReason: 'a "reason"',
      revokeTransactionHash: sampleHash(77),
      data: '0x',
      dataLocation: 'ipfs',
      extra: {},
      syncAt: '1700000000456',
      lastSyncAt: '1700000000789',
      recipients: [expect.stringMatching(/^0xab0+3$/i), 'did:key:"z"', '', '0xdead'],
      schema: await service.querySchema(id('0x2')),
    })
  })

  test('reads an attestation that was not revoked, and one whose schema is not indexed', async () => {
    const service = createService()
    expect(await service.queryAttestation(id('0x5'))).toMatchObject({
      dataLocation: 'onchain',
      validUntil: '0',
      revoked: false,
      revokeTimestamp: null,
      revokeReason: null,
      revokeTransactionHash: '',
      lastSyncAt: null,
    })
    const { schema } = (await service.queryAttestation(id('0x4'))) ?? {}
    expect(schema).toMatchObject({ id: id('0x3e7'), schemaId: '0x3e7', name: '', data: [], originalData: '' })
    expect(Object.keys(schema ?? {}).toSorted()).toEqual(
      Object.keys((await service.querySchema(id('0x1'))) ?? {}).toSorted(),
    )
  })

  test('rejects for records that are not indexed', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    const service = createService()
    for (const unknown of [id('0xffff'), 'SPA_x', 'SPS_x', 'onchain_evm_1_0x01']) {
      await expect(service.querySchema(unknown)).rejects.toThrow(`No schema`)
      await expect(service.queryAttestation(unknown)).rejects.toMatchObject({ status: 404 })
    }
  })

  test('lists schemas by each of its parameters', async () => {
    const service = createService()
    const all = await service.querySchemaList({ page: 1 })
    expect(all).toMatchObject({ total: 13, page: 1, size: 100 })
    expect(all?.rows.map(({ schemaId }) => schemaId)[0]).toBe('0xd')
    expect(all?.rows[0]).toEqual(await service.querySchema(id('0xd')))
    const total = async (query: object) => (await service.querySchemaList({ page: 1, ...query }))?.total
    expect(await total({ id: id('0x2') })).toBe(1)
    expect(await total({ id: id('0x2'), registrant })).toBe(1)
    expect(await total({ id: id('0x2'), registrant: other })).toBe(0)
    expect(await total({ id: id('0xffff') })).toBe(0)
    expect(await total({ id: 'SPS_x' })).toBe(0)
    expect(await total({ registrant })).toBe(12)
    expect(await total({ mode: 'onchain' })).toBe(13)
    expect(await total({ mode: 'offchain' })).toBe(0)
    expect(await total({ id: undefined, registrant: undefined, mode: undefined, size: undefined })).toBe(13)
    expect(await total({ page: undefined })).toBe(13)
    expect(await service.querySchemaList({ page: 3, size: 5 })).toMatchObject({
      total: 13,
      page: 3,
      size: 5,
      rows: [{ schemaId: '0x3' }, { schemaId: '0x2' }, { schemaId: '0x1' }],
    })
    expect(await service.querySchemaList({ page: 2, id: id('0x2') })).toMatchObject({ total: 1, rows: [] })
  })

  test('lists attestations by each of its parameters', async () => {
    const service = createService()
    const all = await service.queryAttestationList({ page: 1 })
    expect(all).toMatchObject({ total: attestationsTotal, page: 1, size: 100 })
    expect(all?.rows).toHaveLength(100)
    expect(all?.rows[0]).toEqual(await service.queryAttestation(id('0xc8')))
    expect((await service.queryAttestationList({ page: 2 }))?.rows).toHaveLength(attestationsTotal - 100)
    const total = async (query: object) => (await service.queryAttestationList({ page: 1, ...query }))?.total
    expect(await total({ id: id('0x3') })).toBe(1)
    expect(await total({ id: id('0xffff') })).toBe(0)
    expect(await total({ id: 'SPA_x' })).toBe(0)
    expect(await total({ schemaId: id('0xd') })).toBe(81)
    expect(await total({ schemaId: 'SPS_x' })).toBe(0)
    expect(await total({ attester })).toBe(105)
    expect(await total({ attester, schemaId: id('0xd') })).toBe(80)
    expect(await total({ indexingValue: 'order-3' })).toBe(10)
    expect(await total({ indexingValue: 'order-3', attester: other })).toBe(0)
    expect(await total({ indexingValue: 'order-3', schemaId: id('0xd'), attester, mode: 'onchain' })).toBe(10)
    expect(await total({ mode: 'offchain' })).toBe(0)
    expect(await total({ parseOffChainData: true })).toBe(attestationsTotal)
    const nothing = { id: undefined, schemaId: undefined, attester: undefined, indexingValue: undefined }
    expect(await total({ ...nothing, mode: undefined, parseOffChainData: undefined })).toBe(attestationsTotal)
    // Parameters that its types do not have, but other clients of these paths send.
    expect(await total({ recipient })).toBe(25 - 1 + 81)
    expect(await total({ recipient: 'did:key:"z"', attester })).toBe(1)
    expect(await total({ recipient: undefined, size: undefined })).toBe(attestationsTotal)
    expect((await service.queryAttestationList({ page: 1, ...{ size: 3 } }))?.rows).toHaveLength(3)
  })

  test('gets a mistake for members that its types do not have, and that would filter nothing', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    const service = createService()
    const ask = (query: object) => service.queryAttestationList({ page: 1, ...query })
    await expect(ask({ registrant })).rejects.toThrow(/^'registrant' is no .* use attester\.$/)
    await expect(ask({ schemaid: id('0xd') })).rejects.toThrow(/^'schemaid' is no .* use schemaId\.$/)
    await expect(ask({ pageSize: 100 })).rejects.toThrow(/^'pageSize' is no .* use size\.$/)
    await expect(ask({ filters: { level: 1 } })).rejects.toThrow(/each filter is a parameter of its own/)
    const absent = await ask({ registrant: undefined, pageSize: undefined, filters: '' })
    expect(absent?.total).toBe(attestationsTotal)
  })

  test('finds an attestation by its id only where the other filters let it pass', async () => {
    const service = createService()
    const total = async (query: object) =>
      (await service.queryAttestationList({ page: 1, id: id('0x3'), ...query }))?.total
    const right = { schemaId: id('0x2'), attester, recipient, indexingValue: 'order "42"', mode: 'onchain' }
    expect(await total(right)).toBe(1)
    for (const wrong of [
      { schemaId: id('0x1') },
      { schemaId: 'onchain_evm_1_0x2' },
      { attester: other },
      { recipient: other },
      { recipient: 'did:key:z' },
      { indexingValue: 'order' },
      { mode: 'offchain' },
    ]) {
      expect(await total({ ...right, ...wrong })).toBe(0)
    }
    expect(await total({ ...right, recipient: 'did:key:"z"' })).toBe(1)
    expect(await total({ ...right, recipient: '0xDEAD' })).toBe(1)
  })

  test('gets a mistake that names the wrong parameter', async () => {
    vi.spyOn(console, 'error').mockReturnValue(undefined)
    const service = createService()
    await expect(service.queryAttestationList({ page: 1, attester: '0x1' })).rejects.toThrow(
      /^attester must be/,
    )
    await expect(service.querySchemaList({ page: 1, size: 101 })).rejects.toThrow(/^size must be .* 1 to 100/)
    await expect(service.querySchemaList({ page: 1, id: 'onchain_evm_x_0x1' })).rejects.toThrow(/^id must be/)
  })

  test('asked by the addresses that the official client asks by, in all tests above', async () => {
    expect(asked.length).toBeGreaterThan(60)
    expect(asked).toEqual(await recorded('indexService', [base], () => asked))
  })
})
