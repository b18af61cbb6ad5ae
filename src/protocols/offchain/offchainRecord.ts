import type { ChainId } from '../../model/compositeId.ts'
import type { Address, Hash, Hex } from '../../model/hex.ts'

/** A signed statement, read but not verified. Integers are decimal digits: a uint64 may pass 2^53. */
export interface OffchainRecord {
  readonly protocol: 'eas' | 'sign'
  /** Sign Protocol's clients also sign schemas and revocations. */
  readonly kind: 'attestation' | 'schema' | 'revocation'
  /** The uid that the envelope states, and the uid that its content has; null where the protocol has none. */
  readonly uid: { readonly stated: Hash; readonly computed: Hash } | null
  /** The account that the envelope names as its signer. */
  readonly signer: Address
  readonly domain: OffchainDomain
  /** The local id of an EAS schema, or Sign Protocol's id. */
  readonly schemaId: string | null
  readonly recipients: readonly string[]
  /** Unix seconds, as the signer claims; null where nothing is claimed. */
  readonly time: string | null
  /** Unix seconds, `0` without expiry; null where the statement has none. */
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
