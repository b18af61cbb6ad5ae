/** The names of chains in links of easscan and of Verax's explorer. */
export const chainIds = new Map<string, number>([
  ['mainnet', 1],
  ['optimism', 10],
  ['bsc', 56],
  ['bsc-testnet', 97],
  ['polygon', 137],
  ['base', 8453],
  ['arbitrum', 42_161],
  ['arbitrum-nova', 42_170],
  ['celo', 42_220],
  ['linea-sepolia', 59_141],
  ['linea', 59_144],
  ['polygon-amoy', 80_002],
  ['base-sepolia', 84_532],
  ['arbitrum-sepolia', 421_614],
  ['scroll-sepolia', 534_351],
  ['scroll', 534_352],
  ['sepolia', 11_155_111],
  ['optimism-sepolia', 11_155_420],
])

const chainNames = new Map([...chainIds].map(([name, chainId]) => [String(chainId), name]))

export interface ProtocolPage {
  readonly href: string
  /** The title of the page. */
  readonly name: string
}

/**
 * The page of a record at the explorer of its protocol, where a wallet attests and revokes: this index only reads. Null
 * for a chain or a protocol of which no such page is known.
 */
export function protocolPage(
  protocol: string | undefined,
  what: 'attestation' | 'schema',
  { id, chainId, localId }: { readonly id: string; readonly chainId: string; readonly localId: string },
): ProtocolPage | null {
  const chain = chainNames.get(chainId)
  if (chain === undefined) return null
  if (protocol === 'verax') {
    return { href: `https://explorer.ver.ax/${chain}/${what}s/${localId}`, name: "Verax's explorer" }
  }
  if (protocol === 'sign') {
    const host = /sepolia|testnet|amoy/.test(chain) ? 'testnet-scan.sign.global' : 'scan.sign.global'
    return { href: `https://${host}/${what}/${id}`, name: 'SignScan' }
  }
  // EAS on BNB is BAS, which has pages of its own.
  if (protocol !== 'eas' || chain.startsWith('bsc')) return null
  const host = chain === 'mainnet' ? 'easscan.org' : `${chain}.easscan.org`
  return { href: `https://${host}/${what}/view/${localId}`, name: 'easscan' }
}
