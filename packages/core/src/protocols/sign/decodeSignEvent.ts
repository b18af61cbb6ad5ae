import type { Hex } from '../../model/hex.ts'
import type { ChainLog } from '../protocolAdapter.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { signEventTypes } from './signAbi.ts'

/** The content of a log of the contract. */
export type SignEvent =
  | { readonly kind: 'schemaRegistered'; readonly id: bigint }
  | { readonly kind: 'attestationMade'; readonly id: bigint; readonly indexingValue: string }
  | { readonly kind: 'attestationRevoked'; readonly id: bigint; readonly reason: string }
  | { readonly kind: 'anchor'; readonly name: string; readonly value: string; readonly reason: string }
  | { readonly kind: 'undecodable'; readonly reason: string }

type SignEventType = (typeof signEventTypes)[number]

const typesByTopic: ReadonlyMap<Hex, SignEventType> = new Map(
  signEventTypes.map((type) => [type.topic, type]),
)

/**
 * Reads a log of any version of the contract. Versions before 1.1 had 256-bit ids that were counters as well. An id
 * beyond a uint64 cannot be a counter, and no local id can hold it.
 */
export function decodeSignEvent(log: Pick<ChainLog, 'topics' | 'data'>): SignEvent {
  const topic = log.topics[0]
  const type = topic === undefined ? undefined : typesByTopic.get(topic)
  if (type === undefined) return undecodable('no event of Sign Protocol has this topic')
  if (log.topics.length !== 1) {
    return undecodable(`${type.signature} has one topic, the log ${log.topics.length}`)
  }
  const reader = new AbiReader(log.data)
  const event = readParameters(reader, type)
  const problem = reader.finish()
  return problem === null ? event : undecodable(`${type.signature}: ${problem}`)
}

function readParameters(reader: AbiReader, type: SignEventType): SignEvent {
  switch (type.kind) {
    case 'schemaRegistered':
      return { kind: type.kind, id: reader.uint64() }
    case 'attestationMade': {
      const id = reader.uint64()
      reader.tail(reader.offset(0))
      return { kind: type.kind, id, indexingValue: reader.string() }
    }
    case 'attestationRevoked': {
      const id = reader.uint64()
      reader.tail(reader.offset(0))
      return { kind: type.kind, id, reason: reader.string() }
    }
    case 'offchainAttestationMade':
      reader.tail(reader.offset(0))
      return { kind: 'anchor', name: 'OffchainAttestationMade', value: reader.string(), reason: '' }
    case 'offchainAttestationRevoked': {
      const idOffset = reader.offset(0)
      const reasonOffset = reader.offset(0)
      reader.tail(idOffset)
      const value = reader.string()
      reader.tail(reasonOffset)
      return { kind: 'anchor', name: 'OffchainAttestationRevoked', value, reason: reader.string() }
    }
  }
}

function undecodable(reason: string): SignEvent {
  return { kind: 'undecodable', reason }
}
