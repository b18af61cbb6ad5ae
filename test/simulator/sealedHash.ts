import { mixSeeds } from './random.ts'

/**
 * The content of a hash that identifies its own block, transaction or record. A chain of any length can be asked by
 * hash without remembering any.
 */
export interface SealedHash {
  readonly kind: SealedKind
  readonly fork: number
  readonly number: number
  readonly index: number
}

const kinds = ['block', 'transaction', 'easSchema', 'easAttestation', 'veraxSchema'] as const
export type SealedKind = (typeof kinds)[number]

/** A 32-byte hash, `0x` and 64 digits. `number` is below 2^48, the others below 2^32. */
export function sealHash(seed: number, { kind, fork, number, index }: SealedHash): string {
  const tag = kinds.indexOf(kind)
  const noise = [1, 2, 3, 4].map((n) => digitsOf(mixSeeds(seed, tag, fork, number, index, n), 8)).join('')
  return `0x${noise}${digitsOf(tag, 4)}${digitsOf(fork, 8)}${digitsOf(number, 12)}${digitsOf(index, 8)}`
}

/** The content of a sealed hash; null if it was not made from this seed. */
export function openHash(seed: number, hash: string): SealedHash | null {
  const digits = hash.slice(2).toLowerCase()
  const kind = kinds[Number.parseInt(digits.slice(32, 36), 16)]
  if (digits.length !== 64 || kind === undefined) return null
  const sealed = {
    kind,
    fork: Number.parseInt(digits.slice(36, 44), 16),
    number: Number.parseInt(digits.slice(44, 56), 16),
    index: Number.parseInt(digits.slice(56), 16),
  }
  return sealHash(seed, sealed) === `0x${digits}` ? sealed : null
}

function digitsOf(value: number, length: number): string {
  return value.toString(16).padStart(length, '0')
}
