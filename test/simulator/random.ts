import { createSeededRandom } from '@attestry/core/model/createSeededRandom.ts'

/** Seeded random numbers: the same seed gives the same run on every machine. */
export interface Random {
  /** A number from 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** An integer from `min` to `max`, both inclusive. */
  integer(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  /** `bytes` random bytes as lower-case hexadecimal digits without `0x`. */
  digits(bytes: number): string
}

export function createRandom(seed: number): Random {
  const next = createSeededRandom(seed)
  const integer = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => {
      const item = items[integer(0, items.length - 1)]
      if (item === undefined) throw new RangeError('nothing to pick from')
      return item
    },
    digits: (bytes) => {
      let digits = ''
      for (let i = 0; i < bytes; i++) digits += integer(0, 255).toString(16).padStart(2, '0')
      return digits
    },
  }
}

/** One seed made of several numbers, so that each block of each fork has its own content. */
export function mixSeeds(...seeds: readonly number[]): number {
  let mixed = 0x9e3779b9
  for (const seed of seeds) {
    mixed = Math.imul(mixed ^ seed, 0x85ebca6b)
    mixed ^= mixed >>> 13
    mixed = Math.imul(mixed, 0xc2b2ae35)
    mixed ^= mixed >>> 16
  }
  return mixed >>> 0
}
