import fc from 'fast-check'
import { zeroAddress } from '../../model/hex.ts'
import type { AttestationFilter, SchemaFilter } from '../indexQueries.ts'
import { addresses, attestationId, blockTimestamp, schemaId, texts } from './generatedChain.ts'

/** Filters whose values mostly occur in generated chains of these ids; each member is mostly absent. */

export const filteredChainIds = [5, 137]

const address = fc.constantFrom(...addresses)
const chainId = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...filteredChainIds) }, fc.constant(99))
const time = fc.oneof(
  fc.nat(80).map(blockTimestamp),
  fc.constantFrom(0, 1, 3_600, 2 ** 32, 2 ** 33 + 3, 2 ** 53 - 1),
)
const protocol = fc.constantFrom('sign', 'eas', 'other')

function seldom<Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value })
}

export const attestationFilters: fc.Arbitrary<AttestationFilter> = fc.record({
  schema: seldom(fc.record({ chainId, localId: fc.nat(8).map(schemaId) })),
  attester: seldom(address),
  recipient: seldom(
    fc.oneof(
      address.map((each) => ({ kind: 'address', address: each }) as const),
      fc.constantFrom(...texts, '0xab', '0xAB').map((value) => ({ kind: 'value', value }) as const),
    ),
  ),
  chainId: seldom(chainId),
  protocol: seldom(protocol),
  revoked: seldom(fc.boolean()),
  expired: seldom(fc.record({ at: time, is: fc.boolean() })),
  validAt: seldom(time),
  attestedFrom: seldom(time),
  attestedBefore: seldom(time),
  linkedAttestation: seldom(fc.record({ chainId, localId: fc.nat(60).map(attestationId) })),
  indexingValue: seldom(fc.constantFrom(...texts, ...addresses)),
  dataLocation: seldom(fc.constantFrom('ONCHAIN', 'IPFS', 'ARWEAVE')),
})

export const schemaFilters: fc.Arbitrary<SchemaFilter> = fc.record({
  registrant: seldom(address),
  resolver: seldom(fc.oneof(address, fc.constant(zeroAddress))),
  chainId: seldom(chainId),
  protocol: seldom(protocol),
  revocable: seldom(fc.boolean()),
  registeredFrom: seldom(time),
  registeredBefore: seldom(time),
})
