import type { Hash, Hex } from '../../model/hex.ts'

/**
 * The part of EAS's interface that the index needs (`IEAS.sol` and `ISchemaRegistry.sol` of
 * `@ethereum-attestation-service/eas-contracts`), as selectors and topics; a test computes them from the signatures.
 */

/** An event by its meaning; both forms of `Registered` have one meaning. */
export type EasEventKind =
  | 'registered'
  | 'registeredWithRecord'
  | 'attested'
  | 'revoked'
  | 'timestamped'
  | 'revokedOffchain'

export interface EasEventType {
  readonly kind: EasEventKind
  readonly signature: string
  readonly topic: Hex
  /** Topics of a log of the event, topic0 included. */
  readonly topicCount: number
  /** Which of a deployment's contracts emits it. */
  readonly emitter: 'eas' | 'schemaRegistry'
}

export const easEventTypes: readonly EasEventType[] = [
  {
    // The form of older registries, Ethereum's and Arbitrum One's for two: it leaves the record to be read.
    kind: 'registered',
    signature: 'Registered(bytes32,address)',
    topic: '0x7d917fcbc9a29a9705ff9936ffa599500e4fd902e4486bae317414fe967b307c' as Hex,
    topicCount: 2,
    emitter: 'schemaRegistry',
  },
  {
    kind: 'registeredWithRecord',
    signature: 'Registered(bytes32,address,(bytes32,address,bool,string))',
    topic: '0xd0b86852e21f9e5fa4bc3b0cff9757ffe243d50c4b43968a42202153d651ea5e' as Hex,
    topicCount: 3,
    emitter: 'schemaRegistry',
  },
  {
    kind: 'attested',
    signature: 'Attested(address,address,bytes32,bytes32)',
    topic: '0x8bf46bf4cfd674fa735a3d63ec1c9ad4153f033c290341f3a588b75685141b35' as Hex,
    topicCount: 4,
    emitter: 'eas',
  },
  {
    kind: 'revoked',
    signature: 'Revoked(address,address,bytes32,bytes32)',
    topic: '0xf930a6e2523c9cc298691873087a740550b8fc85a0680830414c148ed927f615' as Hex,
    topicCount: 4,
    emitter: 'eas',
  },
  {
    kind: 'timestamped',
    signature: 'Timestamped(bytes32,uint64)',
    topic: '0x5aafceeb1c7ad58e4a84898bdee37c02c0fc46e7d24e6b60e8209449f183459f' as Hex,
    topicCount: 3,
    emitter: 'eas',
  },
  {
    kind: 'revokedOffchain',
    signature: 'RevokedOffchain(address,bytes32,uint64)',
    topic: '0x92a1f7a41a7c585a8b09e25b195e225b1d43248daca46b0faf9e0792777a2229' as Hex,
    topicCount: 4,
    emitter: 'eas',
  },
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
