import type { Address, Hash, Hex } from '../../model/hex.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { createTypeSearch } from '../abi/eventTypes.ts'
import { problemOf, topicReader } from '../abi/eventValues.ts'
import { decodeSchemaRecord, type EasSchemaRecord } from './decodeEasRecord.ts'
import { easEventTypes } from './easAbi.ts'

/** The content of a log of a deployment's contracts. */
export type EasEvent =
  | EasRegistered
  | EasAttested
  | { readonly kind: 'revoked'; readonly uid: Hash }
  | { readonly kind: 'anchor'; readonly name: string; readonly value: Hash; readonly account: Address | null }
  | { readonly kind: 'undecodable'; readonly reason: string }

export interface EasRegistered {
  readonly kind: 'registered'
  readonly uid: Hash
  readonly registerer: Address
  /** null if the log leaves it to be read. */
  readonly record: EasSchemaRecord | null
}

export interface EasAttested {
  readonly kind: 'attested'
  readonly uid: Hash
  readonly schema: Hash
  readonly recipient: Address
  readonly attester: Address
}

/** Decodes a log of either contract. A log from the contract that does not emit its event is undecodable. */
export function decodeEasEvent(
  deployment: Pick<Deployment, 'address' | 'schemaRegistry'>,
  log: Pick<ChainLog, 'address' | 'topics' | 'data'>,
): EasEvent {
  const type = findType(deployment, log)
  if (typeof type === 'string') return undecodable(type)
  const { kind, signature } = type
  const topics = topicReader(log.topics)
  if (kind === 'registeredWithRecord') return readRegisteredWithRecord(signature, topics, log.data)
  const data = new AbiReader(log.data)
  const event = readParameters(kind, topics, data)
  const problem = problemOf(topics, data)
  return problem === null ? event : undecodable(`${signature}: ${problem}`)
}

const findType = createTypeSearch('EAS', easEventTypes)

function readParameters(
  kind: Exclude<(typeof easEventTypes)[number]['kind'], 'registeredWithRecord'>,
  topics: AbiReader,
  data: AbiReader,
): EasEvent {
  switch (kind) {
    case 'registered':
      return { kind: 'registered', uid: topics.hash(), registerer: data.address(), record: null }
    case 'attested': {
      const recipient = topics.address()
      const attester = topics.address()
      return { kind: 'attested', recipient, attester, uid: data.hash(), schema: topics.hash() }
    }
    case 'revoked':
      topics.address()
      topics.address()
      topics.hash()
      return { kind: 'revoked', uid: data.hash() }
    case 'timestamped': {
      const value = topics.hash()
      topics.uint64()
      return { kind: 'anchor', name: 'Timestamped', value, account: null }
    }
    case 'revokedOffchain': {
      const revoker = topics.address()
      const value = topics.hash()
      topics.uint64()
      return { kind: 'anchor', name: 'RevokedOffchain', value, account: revoker }
    }
  }
}

function readRegisteredWithRecord(signature: string, topics: AbiReader, data: Hex): EasEvent {
  const uid = topics.hash()
  const registerer = topics.address()
  const problem = problemOf(topics, null)
  if (problem !== null) return undecodable(`${signature}: ${problem}`)
  const decoded = decodeSchemaRecord(data)
  if (decoded.kind === 'malformed') return undecodable(`${signature}: ${decoded.reason}`)
  if (decoded.record.uid !== uid) {
    return undecodable(`${signature}: the record is that of another uid, ${decoded.record.uid}`)
  }
  return { kind: 'registered', uid, registerer, record: decoded.record }
}

function undecodable(reason: string): EasEvent {
  return { kind: 'undecodable', reason }
}
