import type { Address, Hex } from 'viem'
import { createSeededRandom } from '@attestry/core/model/createSeededRandom.ts'

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

export function createRandom(seed: number): Random {
  const fraction = createSeededRandom(seed)
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
