import type { Address, Hash, Hex } from '@attestry/core/model/hex.ts'

/**
 * The bytes that hexadecimal digits stand for; of an address, the form in which the dictionary of addresses keeps it.
 */
export function hexBytes(hex: Address | Hash | Hex): Uint8Array {
  return Buffer.from(hex.slice(2), 'hex')
}

export function bytesHex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}` as Hex
}

export function addressOfBytes(bytes: Uint8Array): Address {
  return `0x${Buffer.from(bytes).toString('hex')}` as Address
}

export function hashOfBytes(bytes: Uint8Array): Hash {
  return `0x${Buffer.from(bytes).toString('hex')}` as Hash
}

/**
 * The first 48 bits of a transaction hash: what the index over transactions holds. Rows found by it are compared with
 * the whole hash, so that the index stays a third of the size.
 */
export function transactionKey(hash: Hash): number {
  return Number.parseInt(hash.slice(2, 14), 16)
}
