import { expect, test } from 'vitest'
import type { LatestAttestation } from '../../api/types.ts'
import { mergeLatest } from './mergeLatest.ts'

const row = (id: string, attestTimestamp: number): LatestAttestation => ({
  id,
  attestationId: id,
  attestTimestamp: `${attestTimestamp}`,
  attester: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  chainId: '1',
  chainType: 'evm',
  mode: 'onchain',
  recipients: [],
  schemaId: '0x1',
  schema: { id: 'onchain_evm_1_0x1', schemaId: '0x1', name: '' },
})
const ids = (rows: readonly LatestAttestation[]) => rows.map(({ id }) => id)

test('puts what comes in where it belongs, once', () => {
  const kept = [row('c', 30), row('a', 10)]
  expect(ids(mergeLatest(kept, [row('d', 30), row('b', 20), row('a', 10)]))).toEqual(['d', 'c', 'b', 'a'])
})

test('keeps a record of each protocol that has the id', () => {
  const kept = [{ ...row('a', 10), protocol: 'eas' }]
  const merged = mergeLatest(kept, [
    { ...row('a', 20), protocol: 'sign' },
    { ...row('a', 10), protocol: 'eas' },
  ])
  expect(merged.map(({ id, protocol }) => [id, protocol])).toEqual([
    ['a', 'sign'],
    ['a', 'eas'],
  ])
})

test('keeps as many as the list has, so that old ones of a backfill do not show', () => {
  const kept = Array.from({ length: 10 }, (_, index) => row(`${index}`, 100 - index))
  expect(ids(mergeLatest(kept, [row('old', 1)]))).toEqual(ids(kept))
})
