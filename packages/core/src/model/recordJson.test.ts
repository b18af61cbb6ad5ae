import { describe, expect, test } from 'vitest'
import { checksumAddress } from './checksumAddress.ts'
import { localIdOfCounter } from './compositeId.ts'
import { zeroAddress, zeroHash, type Address, type Hex } from './hex.ts'
import { eventPosition } from './position.ts'
import {
  attestationDetailMembers,
  attestationMembers,
  recipientsJson,
  schemaFieldsJson,
  schemaMembers,
} from './recordJson.ts'
import type { Schema } from './records.ts'
import { unixSeconds } from './time.ts'

const attester = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed' as Address
const summary = {
  key: { chainId: 11_155_111, localId: localIdOfCounter(26n) },
  schemaId: localIdOfCounter(3n),
  attester: checksumAddress(attester),
  attestTimestamp: 1_700_000_000,
  recipientsJson: recipientsJson([
    { kind: 'address', address: attester },
    { kind: 'text', text: 'did:key:"z"\n\u0000' },
    { kind: 'bytes', bytes: '0x01' as Hex },
  ]),
}
const detail = {
  transactionHash: zeroHash,
  indexingValueJson: JSON.stringify('</script>\u2028"'),
  linkedAttestation: localIdOfCounter(2n),
  validUntil: String(2n ** 64n - 1n),
  data: '0x' as Hex,
  dataLocation: 'ONCHAIN',
} as const

describe('the JSON of a record', () => {
  test('has the members of an attestation row, hostile text escaped', () => {
    expect(attestationMembers(summary)).toEqual({
      id: 'onchain_evm_11155111_0x1a',
      mode: 'onchain',
      chainType: 'evm',
      chainId: '11155111',
      attestationId: '0x1a',
      schemaId: '0x3',
      attester: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      attestTimestamp: '1700000000',
      recipients: ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'did:key:"z"\n\u0000', '0x01'],
    })
  })

  test('has the further members of a single attestation, 64-bit values exact', () => {
    expect(attestationDetailMembers(summary, detail)).toEqual({
      transactionHash: zeroHash,
      indexingValue: '</script>\u2028"',
      fullSchemaId: 'onchain_evm_11155111_0x3',
      linkedAttestation: 'onchain_evm_11155111_0x2',
      validUntil: '18446744073709551615',
      data: '0x',
      dataLocation: 'ONCHAIN',
    })
  })

  test('has the members of a schema, with the name that counts', () => {
    const schema: Schema = {
      key: { chainId: 1, localId: localIdOfCounter(3n) },
      protocol: 'sign',
      position: eventPosition(5, 0),
      transactionHash: zeroHash,
      transactionSender: null,
      registrant: attester,
      registerTimestamp: unixSeconds(1),
      revocable: true,
      maxValidFor: 0n,
      resolver: zeroAddress,
      dataLocation: 'ONCHAIN',
      definition: { name: 'own', description: 'a "b"', fields: [{ name: 'x', type: 'string' }] },
      rawText: '{}',
      context: null,
    }
    expect(schemaMembers({ ...schema, name: 'given', description: 'a "b"' })).toEqual({
      id: 'onchain_evm_1_0x3',
      mode: 'onchain',
      name: 'given',
      description: 'a "b"',
      registrant: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      chainType: 'evm',
      chainId: '1',
      schemaId: '0x3',
      transactionHash: zeroHash,
    })
    expect(JSON.parse(schemaFieldsJson(schema.definition.fields))).toEqual([{ name: 'x', type: 'string' }])
  })
})
