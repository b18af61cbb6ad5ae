import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address, Hex } from './hex.ts'
import { rememberRecent } from './recentMap.ts'

/** The place of one of a value's three bits in a bloom: hex digit and mask. */
interface BloomBit {
  readonly digit: number
  readonly mask: number
}

/** Values whose bits are cached. Every block is tested for the same few addresses and topics. */
const valuesMax = 10_000

/**
 * Whether the block with this bloom may hold a log of one of `addresses` with one of `topics`. An empty list means any
 * value. `false` is certain, `true` may be a false positive (yellow paper, 4.3.1). The bloom exposes an endpoint that
 * answers `[]` for a block whose logs that endpoint has not indexed yet.
 */
export function bloomMayContain(
  logsBloom: Hex,
  addresses: readonly Address[],
  topics: readonly Hex[],
): boolean {
  return mayContainAny(logsBloom, addresses) && mayContainAny(logsBloom, topics)
}

function mayContainAny(logsBloom: Hex, values: readonly Hex[] | readonly Address[]): boolean {
  return values.length === 0 || values.some((value) => mayContain(logsBloom, value))
}

function mayContain(logsBloom: Hex, value: Hex | Address): boolean {
  return bloomBits(value).every(
    ({ digit, mask }) => (Number.parseInt(logsBloom[digit] ?? '0', 16) & mask) !== 0,
  )
}

/** The probability that a value is in a bloom by chance: that all of its three bits are set. */
export function chanceInBloom(logsBloom: Hex): number {
  let ones = 0
  for (const digit of logsBloom.slice(2)) ones += onesOf[Number.parseInt(digit, 16)] ?? 0
  return (ones / 2048) ** 3
}

/** The bits that are set in each hex digit. */
const onesOf = Array.from({ length: 16 }, (_, digit) => digit.toString(2).replaceAll('0', '').length)

/** The bloom of a block that has these logs and no other. */
export function logsBloomOf(
  logs: readonly { readonly address: Address; readonly topics: readonly Hex[] }[],
): Hex {
  const digits = new Uint8Array(2 + 512)
  for (const { address, topics } of logs) {
    for (const value of [address, ...topics]) {
      for (const { digit, mask } of bloomBits(value)) digits[digit] = (digits[digit] ?? 0) | mask
    }
  }
  return `0x${Array.from(digits.subarray(2), (digit) => digit.toString(16)).join('')}` as Hex
}

const bloomBits = rememberRecent(valuesMax, (value: Hex | Address): readonly BloomBit[] => {
  const hash = keccak_256(Buffer.from(value.slice(2), 'hex'))
  return [0, 2, 4].map((offset): BloomBit => {
    const bit = (((hash[offset] ?? 0) << 8) | (hash[offset + 1] ?? 0)) & 2047
    // The bloom is one big-endian number of 512 hex digits; bit 0 is the lowest of its last digit.
    return { digit: 2 + 511 - (bit >> 2), mask: 1 << (bit & 3) }
  })
})
