const names: Readonly<Record<string, string>> = { sign: 'Sign Protocol', eas: 'EAS', verax: 'Verax' }

/** The chains of BNB, on which the contracts of EAS are those of the BNB Attestation Service. */
const basChains: ReadonlySet<string> = new Set(['56', '97', '204', '5611'])

/**
 * The common name of a protocol, on one chain if one is given; the interface's name for an unknown protocol.
 */
export function protocolName(protocol: string, chainId?: string): string {
  if (protocol === 'eas' && chainId !== undefined && basChains.has(chainId)) return 'BAS'
  return names[protocol] ?? protocol
}
