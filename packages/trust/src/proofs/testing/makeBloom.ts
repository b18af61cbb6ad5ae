import { keccak_256 } from '@noble/hashes/sha3.js'

/** The bloom of values (yellow paper, 4.3.1): three bits for each, from pairs of its hash's bytes. */
export function makeBloom(values: readonly string[]): string {
  const bloom = Buffer.alloc(256)
  for (const value of values) {
    const hash = Buffer.from(keccak_256(Buffer.from(value.slice(2), 'hex')))
    for (const pair of [0, 2, 4]) {
      const bit = hash.readUInt16BE(pair) % 2048
      const byte = 255 - Math.floor(bit / 8)
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit % 8))
    }
  }
  return `0x${bloom.toString('hex')}`
}
