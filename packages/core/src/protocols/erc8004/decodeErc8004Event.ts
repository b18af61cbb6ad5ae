import { keccakDigits } from '../../model/keccak.ts'
import type { Address, Hash, Hex } from '../../model/hex.ts'
import type { FurtherRegistries } from '../../model/indexedContract.ts'
import { AbiReader } from '../abi/abiReader.ts'
import { createTypeSearch } from '../abi/eventTypes.ts'
import { problemOf, readStrings, topicReader } from '../abi/eventValues.ts'
import type { ChainLog, Deployment } from '../protocolAdapter.ts'
import { erc8004EventTypes } from './erc8004Abi.ts'

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

/** The key of a feedback. A client's feedback for an agent is numbered from 1. */
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

const findType = createTypeSearch('ERC-8004', erc8004EventTypes)

/** Decodes a log of one of the contracts. A log from a contract that does not emit its event is undecodable. */
export function decodeErc8004Event(
  deployment: Erc8004Addresses,
  log: Pick<ChainLog, 'address' | 'topics' | 'data'>,
): Erc8004Event {
  const type = findType(deployment, log)
  if (typeof type === 'string') return undecodable(type)
  const { kind, signature } = type
  if (kind === 'oldFeedback') {
    return undecodable(`${signature} is a form of NewFeedback from before the registries stood on mainnets`)
  }
  const topics = topicReader(log.topics)
  const data = new AbiReader(log.data)
  const event = readEvent(kind, topics, data)
  const problem = problemOf(topics, data)
  return problem === null ? event : undecodable(`${signature}: ${problem}`)
}

function readEvent(
  kind: Exclude<(typeof erc8004EventTypes)[number]['kind'], 'oldFeedback'>,
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

/** Whether a text is printable ASCII, which is all that `keccakDigits` hashes. */
function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

function undecodable(reason: string): Erc8004Event {
  return { kind: 'undecodable', reason }
}
