const names: Readonly<Record<string, string>> = { sign: 'Sign Protocol', eas: 'EAS' }

/** What people call a protocol; the interface's own name for one that is not known here. */
export function protocolName(protocol: string): string {
  return names[protocol] ?? protocol
}
