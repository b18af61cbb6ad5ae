import { localIdOfCounter, type LocalId } from '../../model/compositeId.ts'
import type { Hex } from '../../model/hex.ts'
import { eventType } from '../abi/eventTypes.ts'

/**
 * The part of Sign Protocol's interface that the index needs (`ISP.sol` of `@ethsign/sign-protocol-evm`), as events
 * and selectors; a test holds both to what viem computes.
 */

/**
 * No parameter is indexed. Contracts before 1.1 (December 2023 to February 2024) had 256-bit ids, hence other topics.
 */
export const signEventTypes = [
  eventType('schemaRegistered', 'address', 1, 'SchemaRegistered(uint64)'),
  eventType('attestationMade', 'address', 1, 'AttestationMade(uint64,string)'),
  eventType('attestationRevoked', 'address', 1, 'AttestationRevoked(uint64,string)'),
  eventType('offchainAttestationMade', 'address', 1, 'OffchainAttestationMade(string)'),
  eventType('offchainAttestationRevoked', 'address', 1, 'OffchainAttestationRevoked(string,string)'),
  eventType('schemaRegistered', 'address', 1, 'SchemaRegistered(uint256)'),
  eventType('attestationMade', 'address', 1, 'AttestationMade(uint256,string)'),
  eventType('attestationRevoked', 'address', 1, 'AttestationRevoked(uint256,string)'),
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
