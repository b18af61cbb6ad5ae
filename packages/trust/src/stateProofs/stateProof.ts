import type { CompositeId } from '@attestry/core/model/compositeId.ts'
import type { Address, Hash, Hex } from '@attestry/core/model/hex.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'

export const stateProofFormat = 'attestry-state-proof'
export const stateProofVersion = 1

/**
 * Storage layouts of the contracts that hold attestations. The layout of a contract is not known beforehand: its
 * records show it. Sources: `storageLayout` in the deployments of eas-contracts and of the OP stack, the manifests
 * `.openzeppelin` of sign-protocol-evm and of Verax's registry, and the sources of erc-8004-contracts.
 */
export const layoutNames = [
  'eas-0.26',
  'eas-1.2',
  'eas-predeploy',
  'sign-1.1',
  'sign-1.0',
  'verax',
  'erc8004',
] as const
export type LayoutName = (typeof layoutNames)[number]

/**
 * A proof of what a contract's storage says after a block: the block's header, the contract's account in the trie of the
 * state, and words of its storage (EIP-1186). A reader must trust only the block's hash and the contract.
 */
export interface StateProof {
  readonly format: typeof stateProofFormat
  readonly version: typeof stateProofVersion
  /** Decimal number of the chain, which no block states. */
  readonly chainId: string
  readonly protocol: ProtocolName
  readonly claim: Claim
  readonly block: StateBlock
  readonly layout: Layout
  /** The contracts that the claim was read from; the first one decides. */
  readonly contracts: readonly ProvenContract[]
  readonly says: Says
  /** Every account and word by which the claim is decided, and no other. */
  readonly accounts: readonly ProvenAccount[]
}

export interface StateBlock {
  readonly number: number
  readonly hash: Hash
  readonly parentHash: Hash
  /** Unix seconds. */
  readonly timestamp: number
  readonly stateRoot: Hash
  /** The header as it is hashed. */
  readonly headerRlp: Hex
}

export interface Layout {
  readonly name: LayoutName
  readonly contract: Address
  /** Slots of the variables that the claim was read from, by their names. */
  readonly slots: Readonly<Record<string, Hash>>
}

export interface ProvenContract {
  readonly address: Address
  readonly codeHash: Hash
  /** Null if the contract is no proxy of EIP-1967. */
  readonly implementation: { readonly address: Address; readonly codeHash: Hash } | null
}

export interface ProvenAccount {
  readonly address: Address
  readonly codeHash: Hash
  /** The nodes from the state root to the account. */
  readonly accountProof: readonly Hex[]
  readonly storageProof: readonly ProvenWord[]
}

export interface ProvenWord {
  /** The slot. */
  readonly key: Hash
  readonly value: Hash
  /** The nodes from the root of the account's storage. */
  readonly proof: readonly Hex[]
}

/** The subject of a proof. A witness is a record that shows that the layout is right where the claim's own words are zero. */
export type Claim =
  | {
      readonly kind: 'attestation'
      readonly id: CompositeId
      /** Of ERC-8004: the feedback, of whose members the id is the hash. */
      readonly feedback?: FeedbackKey
    }
  | { readonly kind: 'anchor'; readonly account: Address; readonly uid: Hash; readonly witness: CompositeId }
  | { readonly kind: 'count'; readonly witness: CompositeId | null }
  | {
      readonly kind: 'reputation'
      readonly agentId: string
      /** Null: all clients. */
      readonly client: Address | null
      readonly witness: Omit<FeedbackKey, 'index'> | null
    }
  | {
      readonly kind: 'holder'
      readonly address: Address
      readonly schemaId: string
      readonly attester: Address
      /** The record; null if the index on chain names it, or names none. */
      readonly attestation: CompositeId | null
      /** The issuer's index on chain; null without one. */
      readonly index: { readonly name: IndexName; readonly contract: Address } | null
      readonly witness: { readonly address: Address; readonly attestation: Hash } | null
    }

export interface FeedbackKey {
  /** Decimal digits. */
  readonly agentId: string
  readonly client: Address
  /** Decimal digits of a uint64. */
  readonly index: string
}

/** Indexes of attestations of EAS that contracts keep. */
export type IndexName = 'coinbase' | 'passport' | 'eas-indexer'

/** Unix seconds; decimal digits beyond 2^53 - 1. */
export type StateTime = number | string

export interface RecordSays {
  readonly exists: true
  readonly revoked: boolean
  /** Null unless revoked, or if the contract keeps no time. */
  readonly revokedAt: StateTime | null
  /** Null without expiry. */
  readonly expiresAt: StateTime | null
  /** Keccak-256 of the payload; null above 24,576 bytes, and where the contract does not keep the payload. */
  readonly dataHash: Hash | null
  /** Local id; null if the contract does not keep it. */
  readonly schemaId: string | null
  readonly attester: Address
  /** Addresses, or other bytes as the contract keeps them; null if they are not proven. */
  readonly recipients: readonly string[] | null
}

export interface AnchorSays {
  readonly revoked: boolean
  readonly revokedAt: StateTime | null
  readonly timestampedAt: StateTime | null
}

export interface CountSays {
  /** Attestations ever made; null if the contract does not keep its first number. */
  readonly attestations: string | null
  /** Local id of the newest attestation; null without one. */
  readonly lastId: string | null
}

export interface ReputationSays {
  readonly clients: readonly {
    readonly client: Address
    readonly feedback: readonly ProvenFeedback[]
  }[]
  readonly count: number
  readonly revoked: number
}

export interface ProvenFeedback {
  readonly index: string
  /** Decimal digits of an int128; the value is `value / 10^decimals`. */
  readonly value: string
  readonly decimals: number
  readonly revoked: boolean
}

export interface HolderSays {
  /** Null if neither is proven. */
  readonly holds: boolean | null
  /** Local id of the valid attestation; null without one. */
  readonly attestation: string | null
  readonly expiresAt: StateTime | null
}

export type Says = RecordSays | AnchorSays | CountSays | ReputationSays | HolderSays
