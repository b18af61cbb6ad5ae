/** The protocols that this program can index, by the names that records, configurations and requests have. */
export const protocolNames = ['sign', 'eas', 'erc8004', 'verax'] as const

/** A protocol that this program knows. Databases may hold records of others: `ProtocolName` is any text. */
export type KnownProtocol = (typeof protocolNames)[number]

export function isKnownProtocol(name: string): name is KnownProtocol {
  return (protocolNames as readonly string[]).includes(name)
}
