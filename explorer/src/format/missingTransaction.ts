const zeros = /^0x0{64}$/

/** The text shown instead of a transaction that no log names; null if the transaction is known. */
export function missingTransaction(transactionHash: string): string | null {
  return zeros.test(transactionHash) ? 'Not known: imported without a log' : null
}
