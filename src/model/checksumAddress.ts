import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Address } from './hex.ts'
import { rememberRecent } from './recentMap.ts'

/** Addresses whose checksum is cached. At 42 characters each the cache stays under 20 MB. */
const addressesMax = 100_000

/** The mixed-case form of an address (EIP-55), as answers carry it. Cached: a few addresses make most of the calls. */
export const checksumAddress: (address: Address) => string = rememberRecent(addressesMax, computeChecksum)

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

/**
 * OpenSSL 3.2 (Node.js 24.5) and later compute Keccak-256 natively, in a tenth of the time of JavaScript. Browsers,
 * which verify off-chain attestations by this code, have no such module.
 */
const crypto = typeof process === 'object' ? process.getBuiltinModule('node:crypto') : null
const native = crypto?.getHashes().includes('keccak-256') === true ? crypto : null

/** Keccak-256 of ASCII text, as lower-case hexadecimal digits. */
function keccakDigits(text: string): string {
  return native === null ? bytesToHex(keccak_256(utf8ToBytes(text))) : native.hash('keccak-256', text, 'hex')
}
