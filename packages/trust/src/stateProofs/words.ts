import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import type { Address, Hash, Hex } from '@attestry/core/model/hex.ts'
import { hashBytes } from '../proofs/hashBytes.ts'

/**
 * Places and values in the storage of a contract, as Solidity lays them out (docs.soliditylang.org, "Layout of State
 * Variables in Storage"). A slot and a word have 32 bytes each.
 */

/** A number as a word. */
export function wordOf(value: bigint): Hash {
  return `0x${value.toString(16).padStart(64, '0')}` as Hash
}

/** A key of a mapping as a word: an address, a number or 32 bytes, filled up with zeros on the left. */
export function keyWord(key: Address | Hash | `0x${string}` | bigint): Hash {
  return wordOf(BigInt(key))
}

/** The slot of a mapping's value. */
export function mapSlot(key: Parameters<typeof keyWord>[0], slot: Hash): Hash {
  return hashBytes(`0x${keyWord(key).slice(2)}${slot.slice(2)}` as Hex)
}

/** The slot `offset` places after another one. */
export function slotAfter(slot: Hash, offset: number): Hash {
  return wordOf((BigInt(slot) + BigInt(offset)) % 2n ** 256n)
}

/** The first slot of the elements of a dynamic array, or of the bytes of a long byte string. */
export function elementsSlot(slot: Hash): Hash {
  return hashBytes(slot)
}

/** The base of a namespace (ERC-7201). */
export function namespaceSlot(name: string): Hash {
  const outer = wordOf(BigInt(`0x${bytesToHex(keccak256(utf8ToBytes(name)))}`) - 1n)
  return `${hashBytes(outer).slice(0, 64)}00` as Hash
}

/** A member of `bytes` bytes that begins `offset` bytes from the low end of a word. */
export function memberOf(word: Hash, offset: number, bytes: number): bigint {
  return BigInt(`0x${word.slice(66 - 2 * (offset + bytes), 66 - 2 * offset)}`)
}

/** An address in the lowest 20 bytes of a word. */
export function addressOf(word: Hash): Address {
  return `0x${word.slice(26)}` as Address
}

/** Whether a word is zero. */
export function isZeroWord(word: Hash): boolean {
  return BigInt(word) === 0n
}
