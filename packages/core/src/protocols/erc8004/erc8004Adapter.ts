import { bytesToHex } from '@noble/hashes/utils.js'
import {
  agentChangeBody,
  agentNoteBody,
  agentSubject,
  feedbackSchemaId,
  formatAgentId,
  validationSchemaId,
  type AgentChangeKind,
  type AgentNote,
} from '../../model/agents.ts'
import { localIdOfUid, type LocalId } from '../../model/compositeId.ts'
import type { DomainEvent, MetadataSet } from '../../model/domainEvent.ts'
import { type Address, type Hash, zeroAddress } from '../../model/hex.ts'
import { registriesOf } from '../../model/indexedContract.ts'
import { keccak256 } from '../../model/keccak.ts'
import type { Attestation, Schema } from '../../model/records.ts'
import { bytesOf, concatParts, integerBytes } from '../bytes.ts'
import { eventOutcome, originOf, revocationOutcome, undecodableOutcome } from '../decodeOutcomes.ts'
import type {
  ChainLog,
  DecodeContext,
  DecodeOutcome,
  Deployment,
  IdentifiedEvent,
  ProtocolAdapter,
} from '../protocolAdapter.ts'
import { builtInDefinition, feedbackSchema, validationSchema } from './builtInSchemas.ts'
import { decodeErc8004Event, type Erc8004Event, type FeedbackKey } from './decodeErc8004Event.ts'
import { erc8004EventTypes } from './erc8004Abi.ts'
import { erc8004Counters } from './erc8004Counters.ts'

/**
 * ERC-8004, "Trustless Agents". A deployment has the registry of identities (`address`), and may have those of
 * reputation and of validations. The logs hold everything. Feedback and responses of validators are attestations about
 * an agent, and revocations of feedback revoke them. All other statements of the registries about an agent are metadata.
 */
export const erc8004Adapter: ProtocolAdapter = {
  name: 'erc8004',
  title: 'ERC-8004',
  topics: erc8004EventTypes.map((type) => type.topic),
  senderTopics: [],
  payloadForm: 'flat',
  mayBeBornRevoked: false,
  defineSchema: ({ key }) => builtInDefinition(key.localId),

  contractsOf: ({ address, ...deployment }) => [address, ...Object.values(registriesOf(deployment))],

  planRead: () => null,

  decodeLog(deployment, log, _result, context): DecodeOutcome {
    const event = decodeErc8004Event(deployment, log)
    switch (event.kind) {
      case 'registered':
        return eventOutcome(
          ...ofFirstAgent(event.agentId, validationSchema(deployment, log)),
          changeOf(deployment, log, event.agentId, {
            change: 'registered',
            owner: event.owner,
            uri: event.uri,
          }),
        )
      case 'transfer': {
        const { agentId, from, to } = event
        // The registration of the same agent tells what its mint tells.
        if (from === zeroAddress)
          return eventOutcome(...ofFirstAgent(agentId, feedbackSchema(deployment, log)))
        return eventOutcome(changeOf(deployment, log, agentId, { change: 'transferred', from, to }))
      }
      case 'uriUpdated': {
        const { agentId, uri, by } = event
        return eventOutcome(changeOf(deployment, log, agentId, { change: 'uriUpdated', uri, by }))
      }
      case 'metadataSet': {
        const { agentId, key, value } = event
        return eventOutcome(changeOf(deployment, log, agentId, { change: 'metadataSet', key, value }))
      }
      case 'feedback':
        return eventOutcome(
          attestationOf(deployment, log, context, {
            localId: feedbackId(event),
            schemaLocalId: feedbackSchemaId,
            attester: event.client,
            agentId: event.agentId,
            indexingValue: '',
            revocable: true,
          }),
        )
      case 'feedbackRevoked':
        return revocationOutcome(deployment, log, feedbackId(event), '')
      case 'responseAppended':
        return eventOutcome(
          noteOf(deployment, log, 'feedbackResponse', feedbackId(event), {
            agent: agentSubject(event.agentId),
            account: event.responder,
            client: event.client,
            feedbackIndex: String(event.index),
            uri: event.uri,
            hash: event.hash,
          }),
        )
      case 'validationRequest':
        return eventOutcome(
          noteOf(deployment, log, 'validationRequest', localIdOfUid(event.requestHash), {
            agent: agentSubject(event.agentId),
            account: event.validator,
            client: null,
            feedbackIndex: null,
            uri: event.uri,
            hash: event.requestHash,
          }),
        )
      case 'validationResponse':
        return eventOutcome(
          attestationOf(deployment, log, context, {
            localId: validationId(event.requestHash, log, context),
            schemaLocalId: validationSchemaId,
            attester: event.validator,
            agentId: event.agentId,
            indexingValue: event.requestHash,
            revocable: false,
          }),
        )
      case 'undecodable':
        return undecodableOutcome(deployment, log, event.reason)
    }
  },

  identifyEvent(log): IdentifiedEvent | null {
    // Any contract of a deployment might have made it.
    const { address } = log
    return identify(
      decodeErc8004Event({ address, reputationRegistry: address, validationRegistry: address }, log),
    )
  },

  // The logs say everything.
  readRevocation: () => null,
  counters: erc8004Counters,
}

/** The log of a validation does not determine its id, so no proof of the log can show the record. */
function identify(event: Erc8004Event): IdentifiedEvent | null {
  switch (event.kind) {
    case 'feedback':
      return { kind: 'attestationMade', localId: feedbackId(event) }
    case 'feedbackRevoked':
      return { kind: 'attestationRevoked', localId: feedbackId(event) }
    case 'transfer':
      return event.from === zeroAddress && event.agentId === 0n
        ? { kind: 'schemaRegistered', localId: feedbackSchemaId }
        : null
    case 'registered':
      return event.agentId === 0n ? { kind: 'schemaRegistered', localId: validationSchemaId } : null
    default:
      return null
  }
}

/** `keccak256(abi.encode(agentId, client, index))`. */
export function feedbackId({ agentId, client, index }: FeedbackKey): LocalId {
  return hashOf(integerBytes(agentId, 32), new Uint8Array(12), bytesOf(client), integerBytes(index, 32))
}

/**
 * `keccak256(abi.encode(requestHash, transactionHash, n))`, of the n-th response to the request in its transaction: a
 * validator may respond again.
 */
function validationId(requestHash: Hash, log: ChainLog, { transactionLogs }: DecodeContext): LocalId {
  const before = transactionLogs.filter(
    ({ position, topics, address }) =>
      position < log.position &&
      address === log.address &&
      topics[0] === log.topics[0] &&
      topics[3] === log.topics[3],
  )
  return hashOf(bytesOf(requestHash), bytesOf(log.transactionHash), integerBytes(BigInt(before.length), 32))
}

function hashOf(...parts: readonly Uint8Array[]): LocalId {
  return `0x${bytesToHex(keccak256(concatParts(parts)))}` as LocalId
}

function ofFirstAgent(agentId: bigint, schema: Schema | null): DomainEvent[] {
  if (agentId !== 0n || schema === null) return []
  return [{ kind: 'schemaRegistered', position: schema.position, schema }]
}

function changeOf(
  { protocol }: Deployment,
  { position, blockTimestamp, transactionHash }: ChainLog,
  agentId: bigint,
  change: AgentChangeKind,
): MetadataSet {
  const body = agentChangeBody({ ...change, timestamp: blockTimestamp, transactionHash })
  return { kind: 'metadataSet', position, protocol, of: 'agent', subject: agentSubject(agentId), body }
}

function noteOf(
  { protocol }: Deployment,
  { position, blockTimestamp, transactionHash }: ChainLog,
  of: 'feedbackResponse' | 'validationRequest',
  subject: LocalId,
  note: Omit<AgentNote, 'timestamp' | 'transactionHash'>,
): MetadataSet {
  const body = agentNoteBody({ ...note, timestamp: blockTimestamp, transactionHash })
  return { kind: 'metadataSet', position, protocol, of, subject, body }
}

interface AboutAgent extends Pick<Attestation, 'schemaLocalId' | 'indexingValue' | 'revocable'> {
  readonly localId: LocalId
  readonly attester: Address
  readonly agentId: bigint
}

/** The index adds the agent's owner to the recipients: the log does not name one. */
function attestationOf(
  deployment: Deployment,
  log: ChainLog,
  { transactionSender }: DecodeContext,
  { localId, agentId, ...about }: AboutAgent,
): DomainEvent {
  const text = formatAgentId(
    { chainId: deployment.chainId, subject: agentSubject(agentId) },
    deployment.address,
  )
  const attestation: Attestation = {
    ...originOf(deployment, log, localId, transactionSender),
    ...about,
    attestTimestamp: log.blockTimestamp,
    recipients: [{ kind: 'text', text }],
    linkedAttestation: null,
    validUntil: 0n,
    portal: null,
    contractVersion: null,
    subject: null,
    data: log.data,
    dataLocation: 'ONCHAIN',
    revocationAtRead: { kind: 'none' },
  }
  return { kind: 'attestationMade', position: log.position, attestation }
}
