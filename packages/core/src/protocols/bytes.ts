import { hexToBytes } from '@noble/hashes/utils.js'
import type { Address, Hash, Hex } from '../model/hex.ts'

/** The bytes of `0x` hex. */
export function bytesOf(hex: Hex | Hash | Address): Uint8Array {
  return hexToBytes(hex.slice(2))
}

/** An unsigned integer in a fixed number of bytes, big-endian. */
export function integerBytes(value: bigint, size: number): Uint8Array {
  return hexToBytes(value.toString(16).padStart(size * 2, '0'))
}

/** Any number of byte strings as one: a call takes no more than some 100,000 arguments. */
export function concatParts(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
