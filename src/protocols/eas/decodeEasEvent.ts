import { type Address, type Hash, type Hex, noBytes } from '../../model/hex.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { topicReader } from '../abi/eventValues.ts'
import { decodeSchemaRecord, type EasSchemaRecord } from './decodeEasRecord.ts'
import { type EasEventType, easEventTypes } from './easAbi.ts'

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
  /** null where the log leaves it to be read. */
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
  const type = typesByTopic.get(log.topics[0] ?? noBytes)
  if (type === undefined) return undecodable('no event of EAS has this topic')
  const emitter = type.emitter === 'eas' ? deployment.address : deployment.schemaRegistry
  if (log.address !== emitter) {
    return undecodable(`${type.signature} comes from ${log.address}, which is not the contract that makes it`)
  }
  if (log.topics.length !== type.topicCount) {
    return undecodable(`${type.signature} has ${type.topicCount} topics, the log ${log.topics.length}`)
  }
  return readEvent(type, log)
}

const typesByTopic: ReadonlyMap<Hex, EasEventType> = new Map(easEventTypes.map((type) => [type.topic, type]))

function readEvent(type: EasEventType, log: Pick<ChainLog, 'topics' | 'data'>): EasEvent {
  const topics = topicReader(log.topics)
  if (type.kind === 'registeredWithRecord') return readRegisteredWithRecord(type, topics, log.data)
  const data = new AbiReader(log.data)
  const event = readParameters(type.kind, topics, data)
  return finishTopics(type, topics) ?? finishData(type, data) ?? event
}

function readParameters(
  kind: Exclude<EasEventType['kind'], 'registeredWithRecord'>,
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

function readRegisteredWithRecord(type: EasEventType, topics: AbiReader, data: Hex): EasEvent {
  const uid = topics.hash()
  const registerer = topics.address()
  const malformed = finishTopics(type, topics)
  if (malformed !== null) return malformed
  const decoded = decodeSchemaRecord(data)
  if (decoded.kind === 'malformed') return undecodable(`${type.signature}: ${decoded.reason}`)
  if (decoded.record.uid !== uid) {
    return undecodable(`${type.signature}: the record is that of another uid, ${decoded.record.uid}`)
  }
  return { kind: 'registered', uid, registerer, record: decoded.record }
}

function finishTopics(type: EasEventType, topics: AbiReader): EasEvent | null {
  const problem = topics.finish()
  return problem === null ? null : undecodable(`${type.signature}: in the indexed values ${problem}`)
}

function finishData(type: EasEventType, data: AbiReader): EasEvent | null {
  const problem = data.finish()
  return problem === null ? null : undecodable(`${type.signature}: ${problem}`)
}

function undecodable(reason: string): EasEvent {
  return { kind: 'undecodable', reason }
}
