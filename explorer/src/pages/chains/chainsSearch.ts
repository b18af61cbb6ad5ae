import { readChoice } from '../../format/readSearch.ts'

/** Columns by which chains are ordered. */
const chainOrders = ['name', 'schemas', 'revocations', 'attestations'] as const

export interface ChainsSearch {
  /** Chains that need somebody's attention stand first by default. */
  readonly order?: (typeof chainOrders)[number] | undefined
}

export function readChainsSearch(raw: Readonly<Record<string, unknown>>): ChainsSearch {
  return { order: readChoice(raw, 'order', chainOrders) }
}
