import type { ChainId, LocalId } from './compositeId.ts'
import type { NamedPayloadValue } from './decodedPayload.ts'
import type { Address, Hash, Hex } from './hex.ts'
import type { UnixSeconds } from './time.ts'

/** Off-chain attestations: signed statements that no contract holds (docs/offchain.md). */

/** A signed statement, read but not verified. Integers are decimal digits: a uint64 may pass 2^53. */
export interface OffchainRecord {
  readonly protocol: 'eas' | 'sign'
  /** Sign Protocol's clients also sign schemas and revocations. */
  readonly kind: 'attestation' | 'schema' | 'revocation'
  /** The uid that the envelope states, and the uid that its content has; null if the protocol has none. */
  readonly uid: { readonly stated: Hash; readonly computed: Hash } | null
  /** The account that the envelope names as its signer. */
  readonly signer: Address
  readonly domain: OffchainDomain
  /** The local id of an EAS schema, or Sign Protocol's id. */
  readonly schemaId: string | null
  readonly recipients: readonly string[]
  /** Unix seconds, as the signer claims; null if nothing is claimed. */
  readonly time: string | null
  /** Unix seconds, `0` without expiry; null if the statement has no such time. */
  readonly expirationTime: string | null
  readonly revocable: boolean
  readonly linkedAttestation: string | null
  readonly payload: OffchainPayload
  /** The EIP-712 hashes that may have been signed: more than one for EAS's first version. */
  readonly hashes: readonly Uint8Array[]
  readonly signature: Hex
}

/** The domain that was signed; Sign Protocol's names neither a chain nor a contract. */
export interface OffchainDomain {
  readonly name: string
  readonly version: string
  readonly chainId: ChainId | null
  readonly contract: Address | null
}

/** ABI-encoded values, or a JSON text. */
export type OffchainPayload =
  | { readonly kind: 'abi'; readonly data: Hex }
  | { readonly kind: 'json'; readonly text: string }

/** Whether a statement has expired; an expiration time of 0 means never. */
export function isExpired({ expirationTime }: OffchainRecord, now: UnixSeconds): boolean {
  return expirationTime !== null && expirationTime !== '0' && BigInt(expirationTime) <= BigInt(now)
}

/** A record, or the reason why the input is not a record, as a sentence without its full stop. */
export type ReadOffchain =
  | {
      readonly kind: 'record'
      readonly record: OffchainRecord
      /** The JSON object that was read: the envelope or signed body, unpacked where the input is a link. */
      readonly envelope: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** The checks of an off-chain attestation, in the order in which answers list them. */
export const checkNames = [
  'format',
  'uid',
  'domain',
  'signature',
  'schema',
  'payload',
  'expiry',
  'revocation',
] as const

/** One check; `message` is a sentence that says what was found. */
export interface OffchainCheck<Name extends string = (typeof checkNames)[number]> {
  readonly name: Name
  readonly ok: boolean
  readonly message: string
  /** Set where the check could not be made: it says nothing against the attestation. */
  readonly unknown?: true
}

/** The input of the checks beside the record. */
export interface CheckContext {
  readonly now: UnixSeconds
  /** Whether a contract of EAS stands there, beyond the published deployments. */
  readonly isKnownContract?: (chainId: ChainId, contract: Address) => boolean
  /** Asks a contract whether a signature is its own; absent if no chain can be asked. */
  readonly askContractSigner?: AskContractSigner
  /** Recovers public keys; absent: JavaScript does. */
  readonly recoverPublicKey?: RecoverPublicKey
}

/**
 * Recovers the public key on secp256k1, uncompressed (65 bytes), from a signature (`r` and `s`, 64 bytes) of a hash;
 * null if no key matches.
 */
export type RecoverPublicKey = (hash: Uint8Array, signature: Uint8Array, recovery: 0 | 1) => Uint8Array | null

/** A signature that its account's key did not make. The account may be a contract (ERC-1271, ERC-6492). */
export interface ContractSignature {
  /** Null if the signed message names no chain: the operator then names the chains that are asked. */
  readonly chainId: ChainId | null
  readonly signer: Address
  readonly hash: Hash
  readonly signature: Hex
}

/** A chain on which an account was asked, and the block in whose state. */
export interface AskedAt {
  readonly chainId: ChainId
  readonly block: number
}

/**
 * `at`: where the account accepted the signature, or everywhere it was asked and did not. `unknown` is a chain that could
 * not be asked; `reason` is a sentence for the client.
 */
export type ContractAnswer =
  | { readonly kind: 'signed'; readonly at: AskedAt }
  | { readonly kind: 'notSigned'; readonly at: readonly AskedAt[] }
  | { readonly kind: 'unknown'; readonly reason: string }

/**
 * Asks an account whether it accepts a signature as its own, at the newest block that two endpoints of its chain have,
 * where there are two. Never rejects.
 */
export type AskContractSigner = (question: ContractSignature) => Promise<ContractAnswer>

/** A multiproof of private data, or the reason why the input is not a multiproof. */
export type ReadPrivateProof =
  | {
      readonly kind: 'proof'
      /** The values that the proof reveals, in its order, as payloads are decoded. */
      readonly revealed: readonly NamedPayloadValue[]
      /** The root of the Merkle tree that the proof leads to; null if it leads to none. */
      readonly root: Hash | null
    }
  | { readonly kind: 'unreadable'; readonly reason: string }

/** Verification as the API needs it; the caller knows the protocols. */
export interface OffchainVerifier {
  /** Reads an envelope, a link or a signed body. Never rejects. */
  readonly read: (text: string) => Promise<ReadOffchain>
  /** The checks that need no index: format, uid, domain, signature and expiry. Never rejects. */
  readonly check: (record: OffchainRecord, now: UnixSeconds) => Promise<readonly OffchainCheck[]>
  /** The schema of attestations of EAS that hold the root of private data. */
  readonly privateDataSchema: LocalId
  /** Reads a multiproof of EAS's private data and computes its root. Never throws. */
  readonly readPrivateProof: (sent: unknown) => ReadPrivateProof
}
