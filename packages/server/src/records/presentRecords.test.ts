import { describe, expect, test } from 'vitest'
import { openTestIndex } from '../pipeline/testing/testIndex.ts'
import { createSampleIndex } from '../pipeline/testing/sampleIndex.ts'
import { sampleAddress, sampleChainId, sampleHash } from '../pipeline/testing/sampleRecords.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { presentFoundAddress, presentStatistics } from '../interfaces/rest/presentAddress.ts'
import {
  presentAttestation,
  presentAttestationOfAddress,
  presentDetailedRow,
  presentFoundAttestation,
  presentLatestAttestation,
  presentWholeAttestation,
} from './presentAttestation.ts'
import { presentPage } from './presentList.ts'
import {
  presentFoundSchema,
  presentRankedSchema,
  presentRegisteredSchema,
  presentSchema,
  presentSchemaRow,
} from './presentSchema.ts'
import type { Address } from '@attestry/core/model/hex.ts'

const reader = openTestIndex(createSampleIndex())
const idOf = (localId: string) => `onchain_evm_${sampleChainId}_${localId}`
const chain = { mode: 'onchain', chainType: 'evm', chainId: '11155111' }
const registrant = '0xAB00000000000000000000000000000000000001'
const attester = '0xab00000000000000000000000000000000000002'

describe('a schema', async () => {
  const schema = await reader.findSchema({ chainId: sampleChainId, localId: '0x2' as LocalId })
  if (schema === null) throw new Error('the sample has no schema 0x2')
  const summary = {
    id: idOf('0x2'),
    ...chain,
    name: 'Quote " \\ \n 愛',
    description: '',
    registrant,
    schemaId: '0x2',
    transactionHash: sampleHash(2),
  }

  test('in a ranking has its count', () => {
    expect(presentRankedSchema(schema)).toEqual({ ...summary, attestationCount: 1 })
  })

  test('in a listing has both counts and its fields', () => {
    expect(presentSchemaRow(schema)).toEqual({
      ...summary,
      attestationCount: 1,
      attesterCount: 1,
      data: [],
    })
  })

  test('alone has numbers, the nearest double for a uint64', () => {
    expect(presentSchema(schema)).toEqual({
      ...summary,
      registerTimestamp: 1_700_000_002,
      revocable: true,
      maxValidFor: 2 ** 64,
      data: [],
    })
  })

  test('among those of an address has strings, exact for a uint64', () => {
    expect(presentRegisteredSchema(schema)).toEqual({
      ...summary,
      revocable: true,
      maxValidFor: '18446744073709551615',
      resolver: '0xAB000000000000000000000000000000000000fE',
      registerTimestamp: '1700000002',
      data: [],
      extra: null,
      syncAt: '1700000000123',
    })
  })

  test('that was found has neither transaction nor counts', () => {
    const { transactionHash, ...found } = summary
    expect(transactionHash).toBeDefined()
    expect(presentFoundSchema(schema)).toEqual(found)
  })
})

describe('an attestation', async () => {
  const [revoked, orphan, plain] = await Promise.all(
    ['0x3', '0x4', '0x5'].map((localId) =>
      reader.findAttestation({ chainId: sampleChainId, localId: localId as LocalId }),
    ),
  )
  if (!revoked || !orphan || !plain) throw new Error('the sample lacks an attestation')
  const summary = {
    id: idOf('0x3'),
    ...chain,
    attestationId: '0x3',
    schemaId: '0x2',
    attester,
    attestTimestamp: '1700100003',
    recipients: ['0xAb00000000000000000000000000000000000003', 'did:key:"z"', '', '0xdead'],
  }
  const detail = {
    ...summary,
    transactionHash: sampleHash(0x1003),
    indexingValue: 'order "42"',
    fullSchemaId: idOf('0x2'),
    linkedAttestation: idOf('0x1'),
    validUntil: '18446744073709551615',
    revoked: true,
    revokeTimestamp: '1700200000',
    revokeReason: 'a "reason"',
    revokeTransactionHash: sampleHash(77),
    data: '0x',
    dataLocation: 'IPFS',
  }
  const schema = { id: idOf('0x2'), schemaId: '0x2', name: 'Quote " \\ \n 愛' }

  test('among the latest names its schema', () => {
    expect(presentLatestAttestation(revoked)).toEqual({ ...summary, schema })
  })

  test('in a listing with details names its schema and chain', () => {
    expect(presentDetailedRow(revoked)).toEqual({
      ...summary,
      schema: { ...schema, chainType: 'evm', chainId: '11155111' },
    })
  })

  test('alone has everything, times as strings', () => {
    expect(presentAttestation(revoked)).toEqual({ ...detail, schema: { ...schema, data: [] } })
  })

  test('that stands has null, null and an empty string for its revocation', () => {
    expect(presentAttestation(plain)).toMatchObject({
      revoked: false,
      revokeTimestamp: null,
      revokeReason: null,
      revokeTransactionHash: '',
      linkedAttestation: '',
      schema: { data: [{ name: 'score', type: 'uint256' }] },
    })
  })

  test('revoked without a reason has an empty one, and a uint64 as its time', () => {
    const bornRevoked = {
      ...orphan,
      revocation: { ...orphan.revocation!, timestamp: '18446744073709551615' },
    }
    expect(presentAttestation(bornRevoked)).toMatchObject({
      revoked: true,
      revokeReason: '',
      revokeTimestamp: '18446744073709551615',
      schema: { id: idOf('0x3e7'), schemaId: '0x3e7', name: '', data: [] },
    })
  })

  test('of an address has the time of indexing', () => {
    const described = { ...schema, description: '' }
    const synced = { extra: '{}', syncAt: '1700000000456', lastSyncAt: '1700000000789' }
    const involved = { from: '', isSender: false, isReceiver: true }
    expect(presentAttestationOfAddress(revoked, sampleAddress(3))).toEqual({
      ...detail,
      ...synced,
      ...involved,
      schema: described,
    })
    expect(presentWholeAttestation(plain)).toMatchObject({ lastSyncAt: null })
  })

  test('that was found has six members', () => {
    const { id, chainType, chainId, attestationId, recipients } = summary
    expect(presentFoundAttestation(revoked)).toEqual({
      id,
      chainType,
      chainId,
      attestationId,
      attester,
      recipients,
    })
  })
})

describe('addresses and lists', () => {
  const statistics = {
    schemaCreated: 1,
    totalAttestations: 5,
    attestationCreated: 2,
    attestationReceived: 4,
  }

  test('statistics have only their four counts', () => {
    expect(presentStatistics({ ...statistics, other: 1 } as typeof statistics)).toEqual(statistics)
  })

  test('an address that was found is checksummed', () => {
    const address = registrant.toLowerCase() as Address
    expect(presentFoundAddress({ ...statistics, address })).toEqual({
      address: registrant,
      schemaCreated: 1,
      attestationCreated: 2,
      attestationReceived: 4,
    })
  })

  test('a page has its rows between its total and its place', () => {
    expect(JSON.stringify(presentPage({ total: 7, rows: [1, 2] }, { page: 3, size: 2 }, String))).toBe(
      '{"total":7,"rows":["1","2"],"page":3,"size":2}',
    )
  })
})
