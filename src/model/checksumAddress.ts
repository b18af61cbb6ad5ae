import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address } from './hex.ts'

/** Addresses whose checksum is remembered. At 42 characters each the memory stays under 20 MB. */
const rememberedMax = 100_000

const remembered = new Map<Address, string>()
const ascii = new Uint8Array(40)

/**
 * The mixed-case form of an address that answers carry (EIP-55). A checksum costs some 10 µs, and the same few
 * addresses come back all the time, so results are remembered: a pure function stays one.
 */
export function checksumAddress(address: Address): string {
  const known = remembered.get(address)
  if (known !== undefined) return known
  const result = computeChecksum(address)
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(address, result)
  return result
}

function computeChecksum(address: Address): string {
  for (let i = 0; i < 40; i++) ascii[i] = address.charCodeAt(i + 2)
  const hash = keccak_256(ascii)
  let result = '0x'
  for (let i = 0; i < 40; i++) {
    const byte = hash[i >> 1] ?? 0
    const nibble = i % 2 === 0 ? byte >> 4 : byte & 15
    const digit = address[i + 2] ?? ''
    result += nibble >= 8 ? digit.toUpperCase() : digit
  }
  return result
}
