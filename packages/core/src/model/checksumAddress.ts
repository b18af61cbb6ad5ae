import type { Address } from './hex.ts'
import { keccakDigits } from './keccak.ts'
import { rememberRecent } from './recentMap.ts'

/** Addresses whose checksum is cached. At 42 characters each the cache stays under 4 MB. */
const addressesMax = 20_000

/** The mixed-case form of an address (EIP-55), as answers carry it. Cached: a few addresses make most of the calls. */
export const checksumAddress: (address: Address) => string = rememberRecent(addressesMax, computeChecksum)

/** A text made at once takes half the time of one that grows by a digit at a time. */
function computeChecksum(address: Address): string {
  const hashed = keccakDigits(address.slice(2))
  const codes: number[] = []
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index)
    const isUpper = index > 1 && code >= letterA && hashed.charCodeAt(index - 2) >= digit8
    codes.push(isUpper ? code - toUpperCase : code)
  }
  return String.fromCharCode(...codes)
}

const digit8 = 0x38
const letterA = 0x61
const toUpperCase = 0x20
