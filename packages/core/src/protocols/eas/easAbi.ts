import type { Hash, Hex } from '../../model/hex.ts'
import { eventType } from '../abi/eventTypes.ts'

/**
 * The part of EAS's interface that the index needs (`IEAS.sol` and `ISchemaRegistry.sol` of
 * `@ethereum-attestation-service/eas-contracts`), as events and selectors; a test holds both to what viem computes.
 */

export const easEventTypes = [
  // The form of older registries, Ethereum's and Arbitrum One's for two: it leaves the record to be read.
  eventType('registered', 'schemaRegistry', 2, 'Registered(bytes32,address)'),
  eventType(
    'registeredWithRecord',
    'schemaRegistry',
    3,
    'Registered(bytes32,address,(bytes32,address,bool,string))',
  ),
  eventType('attested', 'address', 4, 'Attested(address,address,bytes32,bytes32)'),
  eventType('revoked', 'address', 4, 'Revoked(address,address,bytes32,bytes32)'),
  eventType('timestamped', 'address', 3, 'Timestamped(bytes32,uint64)'),
  eventType('revokedOffchain', 'address', 4, 'RevokedOffchain(address,bytes32,uint64)'),
]

/** Selector of `getSchema(bytes32)`, of the registry. */
export const getSchemaSelector = '0xa2ea7c6e'
/** Selector of `getAttestation(bytes32)`, of the EAS contract. */
export const getAttestationSelector = '0xa3112a64'

/**
 * The uid of the schema "Name a Schema", `bytes32 schemaId,string name`, without a resolver and revocable. A schema's
 * uid is the hash of its content, so the uid is the same on every chain.
 */
export const nameSchemaUid = '0x44d562ac1d7cd77e232978687fea027ace48f719cf1d58c7888e509663bb87fc' as Hash

/** The calldata of a getter of one uid. */
export function encodeGetterCall(selector: string, uid: Hash): Hex {
  return `${selector}${uid.slice(2)}` as Hex
}
