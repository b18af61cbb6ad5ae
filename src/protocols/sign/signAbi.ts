import { localIdOfCounter, type LocalId } from '../../model/compositeId.ts'
import type { Hex } from '../../model/hex.ts'

/**
 * The part of Sign Protocol's interface that the index needs (`ISP.sol` of `@ethsign/sign-protocol-evm`), as selectors
 * and topics; a test computes them from the signatures.
 */

/** The meaning of an event for the protocol's state, in every version of the contract. */
type SignEventKind =
  | 'schemaRegistered'
  | 'attestationMade'
  | 'attestationRevoked'
  | 'offchainAttestationMade'
  | 'offchainAttestationRevoked'

export interface SignEventType {
  readonly kind: SignEventKind
  readonly signature: string
  readonly topic: Hex
}

/**
 * No parameter is indexed. Contracts before 1.1 (December 2023 to February 2024) had 256-bit ids, hence other topics.
 */
export const signEventTypes: readonly SignEventType[] = [
  eventType(
    'schemaRegistered',
    'SchemaRegistered(uint64)',
    '0xd0f9818d35b9c7d941f89e81a08a7f4761384ae32aeaf4a913b94319a321e7ff',
  ),
  eventType(
    'attestationMade',
    'AttestationMade(uint64,string)',
    '0x38b331f00373c8b0f9af5a4273ca1b91e894fec999bfa4ec787e8c90a5c8b05c',
  ),
  eventType(
    'attestationRevoked',
    'AttestationRevoked(uint64,string)',
    '0x294c02ce66be799794a712d72e9926c40a3cb2738a51571523ffe23be2c6fb01',
  ),
  eventType(
    'offchainAttestationMade',
    'OffchainAttestationMade(string)',
    '0x6f0bf119c2fc55752051c1cfde5d145fdd499c7f748df7920409c72319ff6027',
  ),
  eventType(
    'offchainAttestationRevoked',
    'OffchainAttestationRevoked(string,string)',
    '0x8cdef7ac4262df432ef960b4d902483c56118d54647a70746d99abc05cb970ba',
  ),
  eventType(
    'schemaRegistered',
    'SchemaRegistered(uint256)',
    '0x0084a511eb95d20783ca15f4a700e3ebae82c5a3b891ae7910bbd966695845bf',
  ),
  eventType(
    'attestationMade',
    'AttestationMade(uint256,string)',
    '0x1832721a412644a22475e05aed6d68366bb3e1adfc4df49b6eabdad773da1044',
  ),
  eventType(
    'attestationRevoked',
    'AttestationRevoked(uint256,string)',
    '0xc44d6340c50a9fd05ab3c2a2be47cd92f00ae53c38b7f1847962b80ee66640db',
  ),
]

/** Selector of `getSchema(uint64)`. */
export const getSchemaSelector = '0x8d1be875'
/** Selector of `getAttestation(uint64)`. */
export const getAttestationSelector = '0x62252880'
/** Selector of `schemaCounter()`. */
export const schemaCounterSelector = '0xcb6a3237' as Hex
/** Selector of `attestationCounter()`. */
export const attestationCounterSelector = '0x2c996e03' as Hex
/** Selector of the error `LegacySPRequired()`. */
export const legacyRequiredSelector = '0xcc504239' as Hex

/** The calldata of a getter of one uint64. */
export function encodeGetterCall(selector: string, id: bigint): Hex {
  return `${selector}${id.toString(16).padStart(64, '0')}` as Hex
}

/** The local id of a reference in a record; zero refers to nothing. */
export function localIdOfReference(id: bigint): LocalId | null {
  return id === 0n ? null : localIdOfCounter(id)
}

function eventType(kind: SignEventKind, signature: string, topic: `0x${string}`): SignEventType {
  return { kind, signature, topic: topic as Hex }
}
