import { keccakDigits } from '../../model/keccak.ts'
import { type Address, type Hash, type Hex, noBytes } from '../../model/hex.ts'
import type { FurtherRegistries } from '../../model/indexedContract.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { readStrings, topicReader } from '../abi/eventValues.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'
import { type Erc8004EventType, erc8004EventTypes } from './erc8004Abi.ts'

/** The content of a log of a deployment's contracts; `agentId` is the agent's number. */
export type Erc8004Event =
  | { readonly kind: 'registered'; readonly agentId: bigint; readonly uri: string; readonly owner: Address }
  | { readonly kind: 'uriUpdated'; readonly agentId: bigint; readonly uri: string; readonly by: Address }
  | { readonly kind: 'metadataSet'; readonly agentId: bigint; readonly key: string; readonly value: Hex }
  | { readonly kind: 'transfer'; readonly agentId: bigint; readonly from: Address; readonly to: Address }
  | ({ readonly kind: 'feedback' | 'feedbackRevoked' } & FeedbackKey)
  | ResponseAppended
  | ValidationRequested
  | {
      readonly kind: 'validationResponse'
      readonly agentId: bigint
      readonly validator: Address
      readonly requestHash: Hash
    }
  | { readonly kind: 'undecodable'; readonly reason: string }

/** What names a feedback: the client numbers its feedback for an agent from 1. */
export interface FeedbackKey {
  readonly agentId: bigint
  readonly client: Address
  readonly index: bigint
}

export interface ResponseAppended extends FeedbackKey {
  readonly kind: 'responseAppended'
  readonly responder: Address
  readonly uri: string
  readonly hash: Hash
}

export interface ValidationRequested {
  readonly kind: 'validationRequest'
  readonly agentId: bigint
  readonly validator: Address
  readonly uri: string
  readonly requestHash: Hash
}

/** The contracts of a deployment. */
export type Erc8004Addresses = Pick<Deployment, 'address'> & FurtherRegistries

const typesByTopic: ReadonlyMap<Hex, Erc8004EventType> = new Map(
  erc8004EventTypes.map((type) => [type.topic, type]),
)

/** Decodes a log of one of the contracts. A log from a contract that does not emit its event is undecodable. */
export function decodeErc8004Event(
  deployment: Erc8004Addresses,
  log: Pick<ChainLog, 'address' | 'topics' | 'data'>,
): Erc8004Event {
  const type = typesByTopic.get(log.topics[0] ?? noBytes)
  if (type === undefined) return undecodable('no event of ERC-8004 has this topic')
  if (log.address !== deployment[type.emitter]) {
    return undecodable(`${type.signature} comes from ${log.address}, which is not the contract that makes it`)
  }
  if (type.kind === 'oldFeedback') {
    return undecodable(
      `${type.signature} is a form of NewFeedback from before the registries stood on mainnets`,
    )
  }
  if (log.topics.length !== type.topicCount) {
    return undecodable(`${type.signature} has ${type.topicCount} topics, the log ${log.topics.length}`)
  }
  const topics = topicReader(log.topics)
  const data = new AbiReader(log.data)
  const event = readEvent(type.kind, topics, data)
  const problem = prefixed('in the indexed values ', topics.finish()) ?? data.finish()
  return problem === null ? event : undecodable(`${type.signature}: ${problem}`)
}

function readEvent(
  kind: Exclude<Erc8004EventType['kind'], 'oldFeedback'>,
  topics: AbiReader,
  data: AbiReader,
): Erc8004Event {
  switch (kind) {
    case 'registered': {
      const [uri = ''] = readStrings(data, [data.offset(0)])
      return { kind, agentId: uint256(topics), owner: topics.address(), uri }
    }
    case 'uriUpdated': {
      const [uri = ''] = readStrings(data, [data.offset(0)])
      return { kind, agentId: uint256(topics), by: topics.address(), uri }
    }
    case 'metadataSet': {
      const agentId = uint256(topics)
      const keyHash = topics.hash()
      const [keyTail, valueTail] = [data.offset(0), data.offset(0)]
      data.tail(keyTail)
      const key = data.string()
      data.tail(valueTail)
      const value = data.bytes()
      // A key of other bytes than UTF-8 has another hash than its text.
      const isSame = !isPlain(key) || keyHash.slice(2) === keccakDigits(key)
      return isSame ? { kind, agentId, key, value } : undecodable('MetadataSet has the hash of another key')
    }
    case 'transfer':
      return { kind, from: topics.address(), to: topics.address(), agentId: uint256(topics) }
    case 'feedback': {
      const agentId = uint256(topics)
      const client = topics.address()
      topics.hash()
      return { kind, agentId, client, index: readFeedback(data) }
    }
    case 'feedbackRevoked':
      return { kind, agentId: uint256(topics), client: topics.address(), index: topics.uint64() }
    case 'responseAppended': {
      const [agentId, client, responder] = [uint256(topics), topics.address(), topics.address()]
      const index = data.uint64()
      const tail = data.offset(0)
      const hash = data.hash()
      const [uri = ''] = readStrings(data, [tail])
      return { kind, agentId, client, index, responder, uri, hash }
    }
    case 'validationRequest': {
      const [validator, agentId, requestHash] = [topics.address(), uint256(topics), topics.hash()]
      const [uri = ''] = readStrings(data, [data.offset(0)])
      return { kind, agentId, validator, requestHash, uri }
    }
    case 'validationResponse': {
      const [validator, agentId, requestHash] = [topics.address(), uint256(topics), topics.hash()]
      data.integer(8, false)
      const uriTail = data.offset(0)
      data.hash()
      readStrings(data, [uriTail, data.offset(0)])
      return { kind, agentId, validator, requestHash }
    }
  }
}

/** Reads the data of `NewFeedback`, which is the payload of the attestation; the feedback's index. */
function readFeedback(data: AbiReader): bigint {
  const index = data.uint64()
  data.integer(128, true)
  data.integer(8, false)
  const tails = [data.offset(0), data.offset(0), data.offset(0), data.offset(0)]
  data.hash()
  readStrings(data, tails)
  return index
}

function uint256(reader: AbiReader): bigint {
  return reader.integer(256, false)
}

/** ASCII alone: what `keccakDigits` hashes. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

function prefixed(prefix: string, problem: string | null): string | null {
  return problem === null ? null : `${prefix}${problem}`
}

function undecodable(reason: string): Erc8004Event {
  return { kind: 'undecodable', reason }
}
