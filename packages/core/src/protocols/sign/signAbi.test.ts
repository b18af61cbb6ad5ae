import { encodeFunctionData, parseAbi, toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import {
  attestationCounterSelector,
  encodeGetterCall,
  getAttestationSelector,
  getSchemaSelector,
  legacyRequiredSelector,
  schemaCounterSelector,
  signEventTypes,
} from './signAbi.ts'

const getters = parseAbi([
  'function getSchema(uint64 schemaId) view returns (uint64)',
  'function getAttestation(uint64 attestationId) view returns (uint64)',
])

describe('the constants of Sign Protocol', () => {
  test.each(signEventTypes)('hold the topic that $signature hashes to', ({ kind, signature, topic }) => {
    expect(topic).toBe(toEventSelector(signature))
    expect(signature.split('(')[0]?.toLowerCase()).toBe(kind.toLowerCase())
  })

  test('name each event once', () => {
    expect(new Set(signEventTypes.map((type) => type.topic)).size).toBe(8)
  })

  test('hold the selectors that their signatures hash to', () => {
    expect(getSchemaSelector).toBe(toFunctionSelector('getSchema(uint64)'))
    expect(getAttestationSelector).toBe(toFunctionSelector('getAttestation(uint64)'))
    expect(schemaCounterSelector).toBe(toFunctionSelector('schemaCounter()'))
    expect(attestationCounterSelector).toBe(toFunctionSelector('attestationCounter()'))
    expect(legacyRequiredSelector).toBe(toFunctionSelector('LegacySPRequired()'))
  })

  test.each([0n, 1n, 0x1an, 2n ** 64n - 1n])('make the calldata that viem makes for id %s', (id) => {
    expect(encodeGetterCall(getSchemaSelector, id)).toBe(
      encodeFunctionData({ abi: getters, functionName: 'getSchema', args: [id] }),
    )
    expect(encodeGetterCall(getAttestationSelector, id)).toBe(
      encodeFunctionData({ abi: getters, functionName: 'getAttestation', args: [id] }),
    )
  })
})
