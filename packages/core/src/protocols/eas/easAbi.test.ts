import {
  encodeFunctionData,
  encodePacked,
  keccak256,
  parseAbi,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import { describe, expect, test } from 'vitest'
import { parseHash, zeroAddress, zeroHash } from '../../model/hex.ts'
import {
  easEventTypes,
  encodeGetterCall,
  getAttestationSelector,
  getSchemaSelector,
  nameSchemaUid,
} from './easAbi.ts'

const getters = parseAbi([
  'function getSchema(bytes32 uid) view returns (uint64)',
  'function getAttestation(bytes32 uid) view returns (uint64)',
])

describe('the constants of EAS', () => {
  test.each(easEventTypes)('hold the topic that $signature hashes to', ({ signature, topic }) => {
    expect(topic).toBe(toEventSelector(signature))
  })

  test('name each event once', () => {
    expect(new Set(easEventTypes.map((type) => type.topic)).size).toBe(6)
    expect(new Set(easEventTypes.map((type) => type.kind)).size).toBe(6)
  })

  test('hold the selectors that their signatures hash to', () => {
    expect(getSchemaSelector).toBe(toFunctionSelector('getSchema(bytes32)'))
    expect(getAttestationSelector).toBe(toFunctionSelector('getAttestation(bytes32)'))
  })

  test('hold the uid of "Name a Schema", the hash of its string, no resolver and revocable', () => {
    expect(nameSchemaUid).toBe(
      keccak256(
        encodePacked(['string', 'address', 'bool'], ['bytes32 schemaId,string name', zeroAddress, true]),
      ),
    )
  })

  test.each([zeroHash, nameSchemaUid, parseHash(`0x${'0f'.repeat(32)}`) ?? zeroHash])(
    'make the calldata that viem makes for uid %s',
    (uid) => {
      expect(encodeGetterCall(getSchemaSelector, uid)).toBe(
        encodeFunctionData({ abi: getters, functionName: 'getSchema', args: [uid] }),
      )
      expect(encodeGetterCall(getAttestationSelector, uid)).toBe(
        encodeFunctionData({ abi: getters, functionName: 'getAttestation', args: [uid] }),
      )
    },
  )
})
