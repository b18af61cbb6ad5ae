import { keccak_256 } from '@noble/hashes/sha3.js'
import type { Address, Hex } from './hex.ts'

/** Where a value's three bits stand in a bloom: hex digit and mask. */
interface BloomBit {
  readonly digit: number
  readonly mask: number
}

/** Values whose bits are remembered. The same few addresses and topics are looked up in every block. */
const rememberedMax = 10_000

const remembered = new Map<string, readonly BloomBit[]>()

/**
 * Whether the block with this bloom may hold a log of one of `addresses` with one of `topics` (an empty list: of any).
 * `false` is certain; `true` may be chance (yellow paper, 4.3.1). It shows up a node that answers `[]` for a block whose logs it
 * does not have yet.
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

function bloomBits(value: Hex | Address): readonly BloomBit[] {
  const known = remembered.get(value)
  if (known !== undefined) return known
  const hash = keccak_256(Buffer.from(value.slice(2), 'hex'))
  const bits = [0, 2, 4].map((offset): BloomBit => {
    const bit = (((hash[offset] ?? 0) << 8) | (hash[offset + 1] ?? 0)) & 2047
    // The bloom is one big-endian number of 512 hex digits; bit 0 is the lowest of its last digit.
    return { digit: 2 + 511 - (bit >> 2), mask: 1 << (bit & 3) }
  })
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(value, bits)
  return bits
}
