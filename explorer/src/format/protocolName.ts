const names: Readonly<Record<string, string>> = { sign: 'Sign Protocol', eas: 'EAS' }

/** The common name of a protocol; the interface's name for an unknown protocol. */
export function protocolName(protocol: string): string {
  return names[protocol] ?? protocol
}
