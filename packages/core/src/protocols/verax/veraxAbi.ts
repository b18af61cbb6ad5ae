import type { Address, Hex } from '../../model/hex.ts'
import type { LocalId } from '../../model/compositeId.ts'
import { eventType } from '../abi/eventTypes.ts'

/**
 * The part of Verax's interface that the index needs (`AttestationRegistry.sol` and `SchemaRegistry.sol` of
 * `@verax-attestation-registry/verax-contracts`, and their versions since v2), as events and selectors; a test holds
 * both to what viem computes.
 */

export const veraxEventTypes = [
  eventType('attestationRegistered', 'address', 2, 'AttestationRegistered(bytes32)'),
  eventType('revoked', 'address', 1, 'AttestationRevoked(bytes32)'),
  // The form of v2, which stood on Linea for some days of September 2023: zero as the second id replaces nothing.
  eventType('revokedForAnother', 'address', 1, 'AttestationRevoked(bytes32,bytes32)'),
  eventType('replaced', 'address', 1, 'AttestationReplaced(bytes32,bytes32)'),
  eventType('schemaCreated', 'schemaRegistry', 2, 'SchemaCreated(bytes32,string,string,string,string)'),
  // Of v5 and later. The new context is in no log.
  eventType('contextUpdated', 'schemaRegistry', 2, 'SchemaContextUpdated(bytes32)'),
  eventType('portalRegistered', 'portalRegistry', 1, 'PortalRegistered(string,string,address)'),
  eventType('portalRevoked', 'portalRegistry', 1, 'PortalRevoked(address)'),
  eventType('moduleRegistered', 'moduleRegistry', 1, 'ModuleRegistered(string,string,address)'),
]

/** Selector of `getAttestation(bytes32)`, which EAS has too, with another struct. */
export const getAttestationSelector = '0xa3112a64'
/** Selector of `getSchema(bytes32)`, which EAS has too, with another struct. */
export const getSchemaSelector = '0xa2ea7c6e'
/** Selector of `getAttestationIdCounter()`. */
export const attestationIdCounterSelector = '0xf20c1416' as Hex
/** Selector of `getVersionNumber()`. */
export const versionNumberSelector = '0x54255be0' as Hex
/** Selector of `getChainPrefix()`. */
export const chainPrefixSelector = '0xf541295c' as Hex
/** Selector of the error `AttestationNotAttested()`, with which the getter of an unknown attestation reverts. */
export const notAttestedSelector = '0x0e35f2bc' as Hex

/** Selector of the error `SchemaNotRegistered()`, with which the getter of an unknown schema reverts. */
export const schemaNotRegisteredSelector = '0x8cc004a9' as Hex

/** Selector of `getPortalByAddress(address)`. */
export const getPortalSelector = '0xc0fbc748'
/** Selector of the error `PortalNotRegistered()`, with which the getter of an unknown or revoked portal reverts. */
export const portalNotRegisteredSelector = '0x082cec1d' as Hex

/** The calldata of `getPortalByAddress`. */
export function encodeGetPortal(portal: Address): Hex {
  return `${getPortalSelector}${portal.slice(2).padStart(64, '0')}` as Hex
}

/** The calldata of `getSchema`. */
export function encodeGetSchema(id: LocalId): Hex {
  return `${getSchemaSelector}${id.slice(2)}` as Hex
}

/** The calldata of `getAttestation`. */
export function encodeGetAttestation(id: LocalId): Hex {
  return `${getAttestationSelector}${id.slice(2)}` as Hex
}
