import type { CompositeId, RecordKey } from './compositeId.ts'
import type { Address, Hash, Hex } from './hex.ts'
import type { Position } from './position.ts'
import type { ProtocolName } from './records.ts'

/** The events of a record that can be proven: a schema's registration, an attestation's creation, its revocation. */
export type ProvenEvent = 'schema' | 'attestation' | 'revocation'

/**
 * A proof that a contract emitted the event of a record in a certain block: the block's header, the path in the trie of
 * its receipts, and the log. A reader must trust only the block's hash; docs/adr/0006 lists what is proven.
 */
export interface RecordProof {
  readonly format: typeof proofFormat
  readonly version: typeof proofVersion
  readonly event: ProvenEvent
  /** The record. No block states the chain; the log states the local id. */
  readonly id: CompositeId
  readonly protocol: ProtocolName
  readonly block: ProvenBlock
  readonly transactionIndex: number
  /** Index of the log in its block, which counts the logs of all receipts before this one and is not proven. */
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

/** The event of a record in the index, for which a proof is made. */
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
 * Makes the proof of an event from the data of the chain.
 * @throws ProofUnavailableError if the data cannot be read, with a message for the client.
 */
export type ProveEvent = (event: ProvableEvent) => Promise<RecordProof>
