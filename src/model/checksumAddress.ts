import type { Address } from './hex.ts'
import { keccakDigits } from './keccak.ts'
import { rememberRecent } from './recentMap.ts'

/** Addresses whose checksum is cached. At 42 characters each the cache stays under 4 MB. */
const addressesMax = 20_000

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
