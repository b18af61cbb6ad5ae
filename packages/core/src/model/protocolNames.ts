import { feedbackSchemaId, validationSchemaId } from './agents.ts'
import type { RecordKey } from './compositeId.ts'

/** The protocols that this program can index, by the names that records, configurations and requests have. */
export const protocolNames = ['sign', 'eas', 'erc8004', 'verax'] as const

/** A protocol that this program knows. Databases may hold records of others: `ProtocolName` is any text. */
export type KnownProtocol = (typeof protocolNames)[number]

/**
 * The protocols whose records may have an id, if the protocol is not named: counters are Sign's, ids of 32 bytes those of
 * all others. ERC-8004 has two schemas, whose ids are fixed.
 */
export function protocolsOfId(
  { localId, protocol = null }: Pick<RecordKey, 'localId' | 'protocol'>,
  kind: 'schema' | 'attestation',
): readonly string[] {
  if (protocol !== null) return [protocol]
  if (localId.length < uidLength) return ['sign']
  if (kind === 'attestation') return ['eas', 'erc8004', 'verax']
  return localId === feedbackSchemaId || localId === validationSchemaId ? ['erc8004'] : ['eas', 'verax']
}

/** Characters of a local id that is a uid of 32 bytes. */
const uidLength = 66

export function isKnownProtocol(name: string): name is KnownProtocol {
  return (protocolNames as readonly string[]).includes(name)
}
