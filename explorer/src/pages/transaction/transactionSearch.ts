import { readText } from '../../format/readSearch.ts'

/** The parameters of the page of a transaction, beside its hash. */
export interface TransactionSearch {
  readonly chainId?: string | undefined
}

export function readTransactionSearch(raw: Readonly<Record<string, unknown>>): TransactionSearch {
  return { chainId: readText(raw, 'chainId') }
}
