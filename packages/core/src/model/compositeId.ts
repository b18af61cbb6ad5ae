import type { Hash } from './hex.ts'

/**
 * Composite ids, `<mode>_<chainType>_<chainId>_<localId>` (docs/api.md, "Identifiers and addresses"). Sign Protocol's
 * local id is its uint64 counter as minimal lower-case hexadecimal (`0x1a`); EAS's is its 32-byte uid. Protocols whose
 * ids have 32 bytes may give two records of one chain the same id (docs/adr/0021-keys-by-protocol.md).
 */

declare const brand: unique symbol

/** `onchain_evm_<chainId>_<localId>`, lower case. */
export type CompositeId = string & { readonly [brand]: 'compositeId' }

/** The id of a record on its own chain: `0x` and lower-case digits, without leading zeros or 64 digits long. */
export type LocalId = `0x${string}` & { readonly [brand]: 'localId' }

/** Decimal chain number. EIP-155 ids are far below 2^53, and numbers compare and sort in the order of listings. */
export type ChainId = number

/**
 * The key of a record. A key without a protocol means the first record with this id, in the order of the protocols'
 * names. The keys of stored records have a protocol.
 */
export interface RecordKey {
  readonly chainId: ChainId
  readonly localId: LocalId
  readonly protocol?: string | null
}

/**
 * The result of parsing a composite id. `unindexable` is well formed but of a kind that this index never holds (an
 * off-chain record, a chain number or local id in non-canonical form): unknown, not malformed.
 */
export type ParsedCompositeId =
  | { readonly kind: 'record'; readonly key: RecordKey }
  | { readonly kind: 'unindexable' }
  | { readonly kind: 'malformed' }

const onchainPattern = /^onchain_evm_([0-9]+)_(0[xX][0-9a-fA-F]+)$/
const offchainPattern = /^(?:offchain_[A-Za-z0-9]+_[A-Za-z0-9]+_.+|SPS_.+|SPA_.+)$/

export function parseCompositeId(text: string): ParsedCompositeId {
  const match = onchainPattern.exec(text)
  if (match === null) return { kind: offchainPattern.test(text) ? 'unindexable' : 'malformed' }
  const chainId = parseChainId(match[1] ?? '')
  const localId = parseLocalId(match[2] ?? '')
  if (chainId === null || localId === null) return { kind: 'unindexable' }
  return { kind: 'record', key: { chainId, localId } }
}

/**
 * The id of an off-chain record in the form in which the store of such records has it: `offchain_evm_<chainId>_<uid>`
 * (EAS), `SPA_…` and `SPS_…` (Sign Protocol). Null for any other text.
 */
export function parseOffchainId(text: string): string | null {
  if (/^SP[AS]_[0-9A-Za-z_-]{1,128}$/.test(text)) return text
  const [, chain = '', uid = ''] = /^offchain_evm_([0-9]+)_(0[xX][0-9a-fA-F]{64})$/.exec(text) ?? []
  return parseChainId(chain) === null ? null : `offchain_evm_${chain}_${uid.toLowerCase()}`
}

/** The id of an off-chain attestation of EAS. */
export function formatOffchainId(chainId: ChainId, uid: string): string {
  return `offchain_evm_${chainId}_${uid}`
}

/** A text that equal keys alone share. */
export function recordKeyText({ chainId, protocol, localId }: RecordKey): string {
  return `${chainId} ${protocol ?? ''} ${localId}`
}

export function formatCompositeId(key: RecordKey): CompositeId {
  return `onchain_evm_${key.chainId}_${key.localId}` as CompositeId
}

const maxUint64 = 2n ** 64n - 1n

/**
 * Parses a local id in any case; null if it is not canonical: leading zeros, or longer than a uint64 without being a
 * uid.
 */
export function parseLocalId(text: string): LocalId | null {
  const lower = text.toLowerCase()
  return /^0x(?:0|[1-9a-f][0-9a-f]{0,15}|[0-9a-f]{64})$/.test(lower) ? (lower as LocalId) : null
}

/** The local id of a Sign Protocol counter value. */
export function localIdOfCounter(counter: bigint): LocalId {
  if (counter < 0n || counter > maxUint64) throw new RangeError(`${counter} is no uint64`)
  return `0x${counter.toString(16)}` as LocalId
}

/** The local id of an EAS record, which is its uid. */
export function localIdOfUid(uid: Hash): LocalId {
  return uid as string as LocalId
}

/** Reads a chain number in decimal digits without leading zeros; null for anything else or beyond 2^53 - 1. */
export function parseChainId(text: string): ChainId | null {
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}
