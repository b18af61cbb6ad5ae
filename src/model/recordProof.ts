import type { CompositeId, RecordKey } from './compositeId.ts'
import type { Address, Hash, Hex } from './hex.ts'
import type { Position } from './position.ts'
import type { ProtocolName } from './records.ts'

/** The events of a record that can be proven: the one that registered a schema, that made an attestation, that revoked one. */
export type ProvenEvent = 'schema' | 'attestation' | 'revocation'

/**
 * That a contract emitted the event of a record in a certain block: the block's header, the path in the trie of its receipts, and
 * the log. Who trusts the block's hash needs to trust nobody else; docs/adr/0006 says what is proven and what is not.
 */
export interface RecordProof {
  readonly format: typeof proofFormat
  readonly version: typeof proofVersion
  readonly event: ProvenEvent
  /** The record: the chain, which no block names, and the local id, which the log does. */
  readonly id: CompositeId
  readonly protocol: ProtocolName
  readonly block: ProvenBlock
  readonly transactionIndex: number
  /** Index of the log in its block, as chains count. It goes by all receipts before this one, and is no part of what is proven. */
  readonly logIndex: number
  /** Index of the log in its receipt. */
  readonly receiptLogIndex: number
  /** The nodes of the trie from the root to the receipt, each as its RLP. */
  readonly receiptProof: readonly Hex[]
  readonly log: ProvenLog
}

export interface ProvenBlock {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  /** Unix seconds. */
  readonly timestamp: number
  readonly receiptsRoot: Hash
  /** The header as it is hashed. */
  readonly headerRlp: Hex
}

export interface ProvenLog {
  readonly address: Address
  readonly topics: readonly Hex[]
  readonly data: Hex
}

export const proofFormat = 'attestry-proof'
export const proofVersion = 1

/** The event of a record as the index knows it: what a proof is asked for. */
export interface ProvableEvent {
  readonly event: ProvenEvent
  readonly key: RecordKey
  readonly protocol: ProtocolName
  readonly position: Position
  /** The block's hash while the index remembers it; null once the block was final. */
  readonly blockHash: Hash | null
  /** The contracts of the protocol on that chain. */
  readonly contracts: readonly Address[]
}

/**
 * Makes the proof of an event from what the chain holds.
 * @throws ProofUnavailableError where that cannot be had, with a sentence for the client.
 */
export type ProveEvent = (event: ProvableEvent) => Promise<RecordProof>
