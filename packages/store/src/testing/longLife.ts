import type { Step } from './generatedChain.ts'

/** The life of a chain with some 2,500 attestations of few schemas; none of them is on Arweave. */
export const longLife: readonly Step[] = Array.from({ length: 2_500 }, (_, index) => ({
  kind: index < 9 ? 0 : 12,
  gap: 0,
  who: index % 4,
  whom: index % 6,
  what: index,
  text: 0,
}))
