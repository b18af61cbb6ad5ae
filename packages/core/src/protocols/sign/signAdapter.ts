import { localIdOfCounter } from '../../model/compositeId.ts'
import { zeroAddress, type Address } from '../../model/hex.ts'
import type { Attestation, Schema } from '../../model/records.ts'
import { unixSeconds } from '../../model/time.ts'
import type {
  ChainLog,
  ContractRead,
  DecodeContext,
  DecodeOutcome,
  Deployment,
  IdentifiedEvent,
  ProtocolAdapter,
  ReadResult,
  ReadRevocation,
} from '../protocolAdapter.ts'
import {
  anchorOutcome,
  eventOutcome,
  originOf,
  revocationOutcome,
  staleOutcome,
  undecodableOutcome,
} from '../decodeOutcomes.ts'
import { readGetter } from '../readGetter.ts'
import { decodeRecipient } from './decodeRecipient.ts'
import { decodeSignEvent, type SignEvent } from './decodeSignEvent.ts'
import {
  decodeAttestationRecord,
  decodeSchemaRecord,
  type SignAttestationRecord,
  type SignSchemaRecord,
} from './decodeSignRecord.ts'
import { parseSchemaText } from './parseSchemaText.ts'
import { revocationAtRead } from './revocationAtRead.ts'
import { signCounters } from './signCounters.ts'
import {
  encodeGetterCall,
  getAttestationSelector,
  getSchemaSelector,
  legacyRequiredSelector,
  localIdOfReference,
  signEventTypes,
} from './signAbi.ts'

/**
 * Sign Protocol, versions 1.0 and 1.1. Events of records carry an id and a string, so a read of the contract completes
 * every record. Revocations and off-chain anchors need no read.
 */
export const signAdapter: ProtocolAdapter = {
  name: 'sign',
  title: 'Sign Protocol',
  topics: signEventTypes.map((type) => type.topic),
  senderTopics: [],
  // The SDK encodes flat and once wrapped; it decodes in this order too.
  payloadForm: 'wrappedOrFlat',
  mayBeBornRevoked: true,
  defineSchema: ({ rawText }) => parseSchemaText(rawText),

  contractsOf: (deployment) => [deployment.address],

  planRead(deployment, log): ContractRead | null {
    const event = decodeSignEvent(log)
    if (!isCompletedByRead(event)) return null
    const selector = event.kind === 'schemaRegistered' ? getSchemaSelector : getAttestationSelector
    return { to: deployment.address, data: encodeGetterCall(selector, event.id) }
  },

  decodeLog(deployment, log, result, context): DecodeOutcome {
    const event = decodeSignEvent(log)
    if (isCompletedByRead(event)) return completeRecord(deployment, log, event, result, context)
    switch (event.kind) {
      case 'attestationRevoked':
        return revocationOutcome(deployment, log, localIdOfCounter(event.id), event.reason)
      case 'anchor':
        return anchorOutcome(deployment, log, {
          anchor: event.name,
          account: null,
          value: event.value,
          reason: event.reason,
        })
      case 'undecodable':
        return undecodableOutcome(deployment, log, event.reason)
    }
  },

  identifyEvent(log): IdentifiedEvent | null {
    const event = decodeSignEvent(log)
    if (event.kind === 'anchor' || event.kind === 'undecodable') return null
    return { kind: event.kind, localId: localIdOfCounter(event.id) }
  },

  readRevocation(result): ReadRevocation | null {
    const decoded = result.kind === 'returned' ? decodeAttestationRecord(result.data) : null
    if (decoded?.kind !== 'record') return null
    const { revoked, revokeTimestamp } = decoded.record
    return { revoked, timestamp: revokeTimestamp }
  },

  counters: signCounters,
}

type CompletedByRead = Extract<SignEvent, { kind: 'schemaRegistered' | 'attestationMade' }>

function isCompletedByRead(event: SignEvent): event is CompletedByRead {
  return event.kind === 'schemaRegistered' || event.kind === 'attestationMade'
}

const reverts = { [legacyRequiredSelector]: 'with LegacySPRequired(): the record is in an older contract' }

function completeRecord(
  deployment: Deployment,
  log: ChainLog,
  event: CompletedByRead,
  result: ReadResult | null,
  context: DecodeContext,
): DecodeOutcome {
  const id = localIdOfCounter(event.id)
  if (event.kind === 'schemaRegistered') {
    const call = `getSchema(${id})`
    const getter = { call, noun: 'schema', decode: decodeSchemaRecord, reverts }
    const read = readGetter(deployment, log, result, getter)
    if (read.kind !== 'record') return read
    const { registrant, timestamp } = read.record
    const problem = checkMaker(deployment, log, call, registrant, timestamp, 'registration')
    if (problem !== null) return problem
    const schema = makeSchema(deployment, log, event.id, read.record, context)
    return eventOutcome({ kind: 'schemaRegistered', position: log.position, schema })
  }
  const call = `getAttestation(${id})`
  const getter = { call, noun: 'attestation', decode: decodeAttestationRecord, reverts }
  const read = readGetter(deployment, log, result, getter)
  if (read.kind !== 'record') return read
  const { attester, attestTimestamp } = read.record
  const problem = checkMaker(deployment, log, call, attester, attestTimestamp, 'attestation')
  if (problem !== null) return problem
  const attestation = makeAttestation(deployment, log, event, read.record, context)
  return eventOutcome({ kind: 'attestationMade', position: log.position, attestation })
}

/**
 * The outcome of a record that nobody made, or at no time. A struct of zeros: the node does not know the record yet. The
 * contract never stores one, as it sets the time. No block is later than what a number holds exactly.
 */
function checkMaker(
  deployment: Deployment,
  log: ChainLog,
  call: string,
  maker: Address,
  timestamp: bigint,
  making: string,
): DecodeOutcome | null {
  if (maker === zeroAddress && timestamp === 0n) return staleOutcome(`${call} returned no record yet`)
  return timestamp > BigInt(Number.MAX_SAFE_INTEGER)
    ? undecodableOutcome(deployment, log, `${call} returned no time of ${making}`)
    : null
}

function makeSchema(
  deployment: Deployment,
  log: ChainLog,
  id: bigint,
  record: SignSchemaRecord,
  context: DecodeContext,
): Schema {
  return {
    ...originOf(deployment, log, localIdOfCounter(id), context.transactionSender),
    registrant: record.registrant,
    registerTimestamp: unixSeconds(Number(record.timestamp)),
    revocable: record.revocable,
    maxValidFor: record.maxValidFor,
    resolver: record.hook,
    dataLocation: record.dataLocation,
    // The text alone decides. If the definition is stored elsewhere, the text is usually a content id, which is no
    // definition.
    definition: parseSchemaText(record.data),
    rawText: record.data,
    context: null,
  }
}

function makeAttestation(
  deployment: Deployment,
  log: ChainLog,
  event: Extract<SignEvent, { kind: 'attestationMade' }>,
  record: SignAttestationRecord,
  context: DecodeContext,
): Attestation {
  return {
    ...originOf(deployment, log, localIdOfCounter(event.id), context.transactionSender),
    schemaLocalId: localIdOfCounter(record.schemaId),
    attester: record.attester,
    attestTimestamp: unixSeconds(Number(record.attestTimestamp)),
    recipients: record.recipients.map(decodeRecipient),
    indexingValue: event.indexingValue,
    linkedAttestation: localIdOfReference(record.linkedAttestationId),
    validUntil: record.validUntil,
    revocable: null,
    portal: null,
    contractVersion: null,
    subject: null,
    data: record.data,
    dataLocation: record.dataLocation,
    revocationAtRead: revocationAtRead(record, context),
  }
}
