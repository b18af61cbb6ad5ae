import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import type { Hash, Hex } from '@attestry/core/model/hex.ts'

/** Keccak-256 of a byte string. */
export function hashBytes(bytes: Hex | Hash): Hash {
  return `0x${bytesToHex(keccak256(hexToBytes(bytes.slice(2))))}` as Hash
}
