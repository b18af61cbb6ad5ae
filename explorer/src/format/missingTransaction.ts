const zeros = /^0x0{64}$/

/** What stands in the place of a transaction that no log names; null where the transaction is known. */
export function missingTransaction(transactionHash: string): string | null {
  return zeros.test(transactionHash) ? 'Not known: imported without a log' : null
}
