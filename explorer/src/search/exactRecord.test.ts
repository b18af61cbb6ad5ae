import { expect, test } from 'vitest'
import type { SearchGroup } from '../api/types.ts'
import { exactRecord, isTransactionHash } from './exactRecord.ts'

const uid = `0x${'ab'.repeat(32)}`

/** The answer of the index: the totals of schemas and attestations, and the local ids of their best rows. */
function found(schemas: readonly string[], attestations: readonly string[], attestationTotal?: number) {
  const idOf = (localId: string, at: number) => `onchain_evm_${at + 1}_${localId}`
  return [
    {
      type: 'schema',
      total: schemas.length,
      rows: schemas.map((schemaId, at) => ({ id: idOf(schemaId, at), schemaId })),
    },
    {
      type: 'attestation',
      total: attestationTotal ?? attestations.length,
      rows: attestations.map((attestationId, at) => ({ id: idOf(attestationId, at), attestationId })),
    },
    { type: 'address', total: 0, rows: [] },
  ] as unknown as SearchGroup[]
}

test('an id leads to its record, even if longer ids begin with it', () => {
  const groups = found([], ['0x1a', '0x1a5', '0x1a7'], 40)
  expect(exactRecord(' 0x1A ', groups)).toMatchObject({ page: '/attestation/$id', id: 'onchain_evm_1_0x1a' })
  expect(exactRecord('0x1', groups)).toBeNull()
  expect(exactRecord('onchain_evm_1_0x1a', found(['0x1a'], []))).toMatchObject({ page: '/schema/$id' })
  expect(exactRecord(uid.toUpperCase().replace('X', 'x'), found([uid], []))).toMatchObject({
    page: '/schema/$id',
  })
})

test('an ambiguous id leads to no record', () => {
  expect(exactRecord('0x1', found(['0x1'], ['0x1']))).toBeNull()
  expect(exactRecord(uid, found([uid, uid], []))).toBeNull()
  expect(exactRecord('onchain_evm_1_0x1', found(['0x1'], ['0x1']))).toBeNull()
})

test('the hash of a transaction is no id of the records that it made', () => {
  expect(exactRecord(uid, found([], ['0x7']))).toBeNull()
  expect(isTransactionHash(` ${uid.toUpperCase().replace('X', 'x')} `)).toBe(true)
  expect(isTransactionHash(uid.slice(0, -1))).toBe(false)
})

test.each(['KYC', '26', '0x', 'did:key:z6Mk', ''])('%j is looked for as text', (keyword) => {
  expect(exactRecord(keyword, found(['0x1a'], []))).toBeNull()
})
