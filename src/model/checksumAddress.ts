import { getHashes, hash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address } from './hex.ts'

/** Addresses whose checksum is remembered. At 42 characters each the memory stays under 20 MB. */
const rememberedMax = 100_000

const remembered = new Map<Address, string>()

/**
 * The mixed-case form of an address that answers carry (EIP-55). The same few addresses come back all the time, so results are
 * remembered: a pure function stays one.
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
  const digits = address.slice(2)
  const hashed = keccakDigits(digits)
  let result = '0x'
  for (let index = 0; index < digits.length; index++) {
    const digit = digits[index] ?? ''
    result += (hashed[index] ?? '0') >= '8' ? digit.toUpperCase() : digit
  }
  return result
}

/** OpenSSL has it from 3.2 on, and Node.js from 24.5 on: a tenth of what it takes in JavaScript. */
const isNative = getHashes().includes('keccak-256')

/** Keccak-256 of a text in ASCII, in lower-case hexadecimal digits. */
function keccakDigits(text: string): string {
  return isNative
    ? hash('keccak-256', text, 'hex')
    : Buffer.from(keccak_256(Buffer.from(text, 'latin1'))).toString('hex')
}
