import { localIdOfCounter } from '@attestry/core/model/compositeId.ts'
import type { AnchorMade } from '@attestry/core/model/domainEvent.ts'
import type { Address, Hash, Hex } from '@attestry/core/model/hex.ts'
import { eventPosition } from '@attestry/core/model/position.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'

/** Records for tests of the API: ordinary by default; a test overrides the members that it needs to be odd. */

export const sampleChainId = 11155111

/** The contract that made all of them. */
export const sampleContract = '0x878c92fd89d8e0b93dc0a3c907a2adc7577e39c5' as Address

/** An address made of a number; its checksum has capitals where its digits allow. */
export function sampleAddress(number: number): Address {
  return `0xab${number.toString(16).padStart(38, '0')}` as Address
}

export function sampleHash(number: number): Hash {
  return `0xcd${number.toString(16).padStart(62, '0')}` as Hash
}

export function sampleSchema(number: number, oddities: Partial<Schema> = {}): Schema {
  return {
    key: { chainId: sampleChainId, localId: localIdOfCounter(BigInt(number)) },
    protocol: 'sign',
    position: eventPosition(1_000 + number, 0),
    transactionHash: sampleHash(number),
    transactionSender: null,
    registrant: sampleAddress(1),
    registerTimestamp: unixSeconds(1_700_000_000 + number),
    revocable: true,
    maxValidFor: 0n,
    resolver: sampleAddress(0xfe),
    dataLocation: 'ONCHAIN',
    definition: {
      name: `Schema ${number}`,
      description: `The "${number}"th`,
      fields: [{ name: 'score', type: 'uint256' }],
    },
    rawText: '{}',
    context: null,
    ...oddities,
  }
}

export function sampleAttestation(number: number, oddities: Partial<Attestation> = {}): Attestation {
  return {
    key: { chainId: sampleChainId, localId: localIdOfCounter(BigInt(number)) },
    protocol: 'sign',
    position: eventPosition(2_000 + number, 0),
    transactionHash: sampleHash(0x1000 + number),
    transactionSender: null,
    schemaLocalId: localIdOfCounter(1n),
    attester: sampleAddress(2),
    attestTimestamp: unixSeconds(1_700_100_000 + number),
    recipients: [{ kind: 'address', address: sampleAddress(3) }],
    indexingValue: '',
    linkedAttestation: null,
    validUntil: 0n,
    revocable: null,
    portal: null,
    contractVersion: null,
    subject: null,
    data: '0x0102' as Hex,
    dataLocation: 'ONCHAIN',
    revocationAtRead: { kind: 'none' },
    ...oddities,
  }
}

/** A revocation of an off-chain attestation. */
export function sampleAnchor(account: Address, position = eventPosition(3_000, 0)): AnchorMade {
  return {
    kind: 'anchorMade',
    position,
    protocol: 'eas',
    anchor: 'RevokedOffchain',
    account,
    value: sampleHash(0x3000),
    timestamp: unixSeconds(1_700_200_000),
    transactionHash: sampleHash(0x3001),
    reason: '',
  }
}
