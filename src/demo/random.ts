import type { Address, Hex } from 'viem'

/** A source of chance that gives the same sequence for the same seed, on every machine. */
export interface Random {
  /** At least 0, less than 1. */
  fraction(): number
  /** A whole number, both bounds included. */
  integer(min: number, max: number): number
  /** Whether something of probability `share` happens. */
  chance(share: number): boolean
  pick<T>(items: readonly T[]): T
  /** `length` random bytes. */
  bytes(length: number): Hex
  address(): Address
  /** Lower-case hexadecimal digits. */
  digits(length: number): string
}

/** The generator is mulberry32; the seed counts modulo 2^32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const integer = (min: number, max: number): number => min + Math.floor(fraction() * (max - min + 1))
  const digits = (length: number): string => {
    let text = ''
    for (let digit = 0; digit < length; digit++) text += integer(0, 15).toString(16)
    return text
  }
  return {
    fraction,
    integer,
    digits,
    chance: (share) => fraction() < share,
    pick(items) {
      const item = items[integer(0, items.length - 1)]
      if (item === undefined) throw new RangeError('Nothing to pick from.')
      return item
    },
    bytes: (length) => `0x${digits(length * 2)}`,
    address: () => `0x${digits(40)}`,
  }
}
