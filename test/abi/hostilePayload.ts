import fc from 'fast-check'
import type { Hex } from '@attestry/core/model/hex.ts'

/** Words that break careless decoders: offsets, lengths near a boundary, dirty high bytes, the maximum of a type. */
const oddWords = [
  0n,
  1n,
  2n,
  3n,
  4n,
  31n,
  32n,
  33n,
  64n,
  320n,
  352n,
  2n ** 31n,
  2n ** 32n - 1n,
  2n ** 32n,
  2n ** 53n,
  2n ** 64n - 1n,
  2n ** 64n,
  2n ** 160n,
  2n ** 255n,
  2n ** 256n - 32n,
  2n ** 256n - 1n,
].map((value) => value.toString(16).padStart(64, '0'))

type Mutation = (digits: string) => string

const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.nat(), fc.constantFrom(...oddWords)).map(
      ([at, word]): Mutation =>
        (digits) =>
          replaceWord(digits, at, () => word),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]): Mutation => (digits) => {
      if (digits === '') return digits
      const index = (at % (digits.length / 2)) * 2
      return digits.slice(0, index) + byte.toString(16).padStart(2, '0') + digits.slice(index + 2)
    }),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.nat(), fc.integer({ min: -2, max: 2 })).map(
      ([at, step]): Mutation =>
        (digits) =>
          replaceWord(digits, at, (word) => addToWord(word, step * 32)),
    ),
  },
  fc.nat().map(
    (at): Mutation =>
      (digits) =>
        digits.slice(0, (at % (digits.length / 2 + 1)) * 2),
  ),
  fc.nat().map(
    (at): Mutation =>
      (digits) =>
        digits.slice(0, (at % (digits.length / 64 + 1)) * 64),
  ),
  fc.nat(40).map(
    (count): Mutation =>
      (digits) =>
        digits + '00'.repeat(count),
  ),
  fc.constantFrom(...oddWords).map(
    (word): Mutation =>
      (digits) =>
        digits + word,
  ),
  fc.nat().map(
    (at): Mutation =>
      (digits) =>
        replaceWord(digits, at, () => ''),
  ),
  fc.nat().map(
    (at): Mutation =>
      (digits) =>
        replaceWord(digits, at, (word) => word + word),
  ),
)

/** Payloads of `valid` with zero, one or several small changes. */
export function hostilePayload(valid: fc.Arbitrary<Hex>): fc.Arbitrary<Hex> {
  return fc
    .tuple(valid, fc.array(mutation, { maxLength: 3 }))
    .map(
      ([payload, mutations]) =>
        `0x${mutations.reduce((digits, mutate) => mutate(digits), payload.slice(2))}` as Hex,
    )
}

function replaceWord(digits: string, at: number, make: (word: string) => string): string {
  const count = Math.floor(digits.length / 64)
  if (count === 0) return digits
  const index = (at % count) * 64
  return digits.slice(0, index) + make(digits.slice(index, index + 64)) + digits.slice(index + 64)
}

function addToWord(word: string, step: number): string {
  return BigInt.asUintN(256, BigInt(`0x${word}`) + BigInt(step))
    .toString(16)
    .padStart(64, '0')
}
