/** A chain of an answer on which the index is behind: records and revocations may be missing. */
export interface BehindChain {
  /** Decimal number of the chain. */
  readonly chainId: string
  /** The last block up to which nothing is known to be missing; null for none. */
  readonly indexedBlock: number | null
  /** The newest block that the index knows of; null for none. */
  readonly headBlock: number | null
}

/** Called for each answer about chains on which the index is behind. */
export type OnBehind = (chains: readonly BehindChain[]) => void

/** The chains that `X-Attestry-Behind` names; an empty list without the header. */
export function readBehind({ headers }: Response): readonly BehindChain[] {
  const text = headers.get('x-attestry-behind') ?? ''
  return [...text.matchAll(/(\d+):(\d+|none):(\d+|none)/g)].map(([, chainId = '', indexed, head]) => ({
    chainId,
    indexedBlock: blockOf(indexed),
    headBlock: blockOf(head),
  }))
}

function blockOf(text: string | undefined): number | null {
  return text === undefined || text === 'none' ? null : Number(text)
}
