import { keccak_256 } from '@noble/hashes/sha3.js'
import type { EncodedLog } from './encodeLog.ts'

/** The bloom filter of a block's logs (yellow paper, 4.3.1), `0x` and 512 digits. */
export function encodeLogsBloom(logs: readonly EncodedLog[]): string {
  if (logs.length === 0) return emptyBloom
  const bytes = new Uint8Array(256)
  for (const { address, topics } of logs) {
    for (const value of [address, ...topics]) {
      for (const bit of bitsOf(value)) {
        const at = 255 - (bit >> 3)
        bytes[at] = (bytes[at] ?? 0) | (1 << (bit & 7))
      }
    }
  }
  return `0x${Buffer.from(bytes).toString('hex')}`
}

export const emptyBloom = `0x${'0'.repeat(512)}`
/** The bloom of a block that may hold anything. */
export const fullBloom = `0x${'f'.repeat(512)}`

const known = new Map<string, readonly number[]>()
const knownMax = 20_000

function bitsOf(value: string): readonly number[] {
  const found = known.get(value)
  if (found !== undefined) return found
  const hash = keccak_256(Buffer.from(value.slice(2), 'hex'))
  const bits = [0, 2, 4].map((at) => (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047)
  if (known.size >= knownMax) known.clear()
  known.set(value, bits)
  return bits
}
