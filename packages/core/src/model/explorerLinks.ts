/** Link prefixes of a block explorer: the address, transaction hash or block number is appended. */
export interface ExplorerLinks {
  readonly address: string
  readonly transaction: string
  readonly block: string
}

/** The links of an explorer at a URL, with the paths that Etherscan, Blockscout and most others share. */
export function explorerLinks(url: string): ExplorerLinks {
  const base = url.replace(/\/+$/, '')
  return { address: `${base}/address/`, transaction: `${base}/tx/`, block: `${base}/block/` }
}
