import { toEventSelector, toFunctionSelector } from 'viem'
import { describe, expect, test } from 'vitest'
import { easEventTypes } from '../eas/easAbi.ts'
import { signEventTypes } from '../sign/signAbi.ts'
import {
  attestationIdCounterSelector,
  chainPrefixSelector,
  getAttestationSelector,
  getPortalSelector,
  getSchemaSelector,
  notAttestedSelector,
  portalNotRegisteredSelector,
  schemaNotRegisteredSelector,
  versionNumberSelector,
  veraxEventTypes,
} from './veraxAbi.ts'

describe('the constants of Verax', () => {
  test.each(veraxEventTypes)('hold the topic that $signature hashes to', ({ signature, topic }) => {
    expect(topic).toBe(toEventSelector(signature))
  })

  test('name no event of another protocol', () => {
    const others = new Set([...signEventTypes, ...easEventTypes].map((type) => type.topic))
    expect(veraxEventTypes.filter(({ topic }) => others.has(topic))).toEqual([])
  })

  test('hold the selectors that their signatures hash to', () => {
    expect(getAttestationSelector).toBe(toFunctionSelector('getAttestation(bytes32)'))
    expect(attestationIdCounterSelector).toBe(toFunctionSelector('getAttestationIdCounter()'))
    expect(versionNumberSelector).toBe(toFunctionSelector('getVersionNumber()'))
    expect(chainPrefixSelector).toBe(toFunctionSelector('getChainPrefix()'))
    expect(getPortalSelector).toBe(toFunctionSelector('getPortalByAddress(address)'))
    expect(portalNotRegisteredSelector).toBe(toFunctionSelector('PortalNotRegistered()'))
    expect(getSchemaSelector).toBe(toFunctionSelector('getSchema(bytes32)'))
    expect(schemaNotRegisteredSelector).toBe(toFunctionSelector('SchemaNotRegistered()'))
    expect(notAttestedSelector).toBe(toFunctionSelector('AttestationNotAttested()'))
  })
})
