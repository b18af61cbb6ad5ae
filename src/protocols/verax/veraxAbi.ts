import type { Address, Hex } from '../../model/hex.ts'
import type { LocalId } from '../../model/compositeId.ts'
import type { furtherRegistries } from '../../model/indexedContract.ts'

/**
 * The part of Verax's interface that the index needs (`AttestationRegistry.sol` and `SchemaRegistry.sol` of
 * `@verax-attestation-registry/verax-contracts`, and their versions since v2), as selectors and topics; a test computes
 * them from the signatures.
 */

/** An event by its meaning; both forms of `AttestationRevoked` have one meaning. */
export type VeraxEventKind =
  | 'attestationRegistered'
  | 'revoked'
  | 'revokedForAnother'
  | 'replaced'
  | 'schemaCreated'
  | 'contextUpdated'
  | 'portalRegistered'
  | 'portalRevoked'
  | 'moduleRegistered'

export interface VeraxEventType {
  readonly kind: VeraxEventKind
  readonly signature: string
  readonly topic: Hex
  /** Topics of a log of the event, topic0 included. */
  readonly topicCount: number
  /** Which of a deployment's contracts emits it. */
  readonly emitter: 'attestationRegistry' | 'schemaRegistry' | (typeof furtherRegistries)[number]
}

export const veraxEventTypes: readonly VeraxEventType[] = [
  {
    kind: 'attestationRegistered',
    signature: 'AttestationRegistered(bytes32)',
    topic: '0xfe10586889e06530420fe4a0d86aa4f7afc3c9dc84b0c77b731a9615496ef18a' as Hex,
    topicCount: 2,
    emitter: 'attestationRegistry',
  },
  {
    kind: 'revoked',
    signature: 'AttestationRevoked(bytes32)',
    topic: '0x04bed256ad23fe17d61d9248ee108825bf3b1d04527fee36f0ee2af633fc1452' as Hex,
    topicCount: 1,
    emitter: 'attestationRegistry',
  },
  {
    // The form of v2, which stood on Linea for some days of September 2023: zero as the second id replaces nothing.
    kind: 'revokedForAnother',
    signature: 'AttestationRevoked(bytes32,bytes32)',
    topic: '0xf8a55c9cf64bdc698b963ea0c26a3ee25b7d494c852944904d8aa3d0cef66bff' as Hex,
    topicCount: 1,
    emitter: 'attestationRegistry',
  },
  {
    kind: 'replaced',
    signature: 'AttestationReplaced(bytes32,bytes32)',
    topic: '0x77d674474bd19340e11693fde02ab981634002a50709bcaf013916b59e40c07d' as Hex,
    topicCount: 1,
    emitter: 'attestationRegistry',
  },
  {
    kind: 'schemaCreated',
    signature: 'SchemaCreated(bytes32,string,string,string,string)',
    topic: '0x4c757208c931a5f2d7900aebd0ab4a238965c74ba1de8d2b54e234513e8a7d9e' as Hex,
    topicCount: 2,
    emitter: 'schemaRegistry',
  },
  {
    // Of v5 and later. The new context is in no log.
    kind: 'contextUpdated',
    signature: 'SchemaContextUpdated(bytes32)',
    topic: '0x2259f2b8a71fba4214a0830b6c2878525e5bf79911a536b7dab84270fb31947f' as Hex,
    topicCount: 2,
    emitter: 'schemaRegistry',
  },
  {
    kind: 'portalRegistered',
    signature: 'PortalRegistered(string,string,address)',
    topic: '0x2b7df910f1bbb7a5c5b32de79907b6445d28b219a71bcb754b46d8d225d27e86' as Hex,
    topicCount: 1,
    emitter: 'portalRegistry',
  },
  {
    kind: 'portalRevoked',
    signature: 'PortalRevoked(address)',
    topic: '0x3d6e85d7560af02579467bce30e02d3f08d3527a14d519ff42bee5774c70f95a' as Hex,
    topicCount: 1,
    emitter: 'portalRegistry',
  },
  {
    kind: 'moduleRegistered',
    signature: 'ModuleRegistered(string,string,address)',
    topic: '0xceccd3e08ae8e7df061ddbcd07655a0d0ee04296ddcf9cb2a95bc7b9e23bd729' as Hex,
    topicCount: 1,
    emitter: 'moduleRegistry',
  },
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
