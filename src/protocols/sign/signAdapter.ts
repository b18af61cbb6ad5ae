import { localIdOfCounter } from '../../model/compositeId.ts'
import { zeroAddress, type Hex } from '../../model/hex.ts'
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
  describeRevert,
  eventOutcome,
  isOlderState,
  revocationOutcome,
  staleOutcome,
  undecodableOutcome,
} from '../decodeOutcomes.ts'
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

/**
 * The possible results of reading a record's getter:
 * 1. A revert: a final answer of the contract. The record cannot be read.
 * 2. No data: see `isOlderState`.
 * 3. A struct of zeros: the node does not know the record yet. The contract never stores one, as it sets the time.
 * 4. The record, or an invalid record.
 */
function completeRecord(
  deployment: Deployment,
  log: ChainLog,
  event: CompletedByRead,
  result: ReadResult | null,
  context: DecodeContext,
): DecodeOutcome {
  const getter = event.kind === 'schemaRegistered' ? 'getSchema' : 'getAttestation'
  const id = localIdOfCounter(event.id)
  if (result === null) return staleOutcome(`${getter}(${id}) was not read`)
  if (result.kind === 'reverted') {
    return undecodableOutcome(deployment, log, `${getter}(${id}) reverted ${describeSignRevert(result.data)}`)
  }
  if (isOlderState(result)) return staleOutcome(`${getter}(${id}) returned nothing: no contract there yet`)
  if (event.kind === 'schemaRegistered') {
    const decoded = decodeSchemaRecord(result.data)
    if (decoded.kind === 'malformed') {
      return undecodableOutcome(deployment, log, `${getter}(${id}) returned no schema: ${decoded.reason}`)
    }
    const { record } = decoded
    if (record.registrant === zeroAddress && record.timestamp === 0n) {
      return staleOutcome(`${getter}(${id}) returned no record yet`)
    }
    if (!isExactNumber(record.timestamp)) {
      return undecodableOutcome(deployment, log, `${getter}(${id}) returned no time of registration`)
    }
    return eventOutcome({
      kind: 'schemaRegistered',
      position: log.position,
      schema: makeSchema(deployment, log, event.id, record, context),
    })
  }
  const decoded = decodeAttestationRecord(result.data)
  if (decoded.kind === 'malformed') {
    return undecodableOutcome(deployment, log, `${getter}(${id}) returned no attestation: ${decoded.reason}`)
  }
  const { record } = decoded
  if (record.attester === zeroAddress && record.attestTimestamp === 0n) {
    return staleOutcome(`${getter}(${id}) returned no record yet`)
  }
  if (!isExactNumber(record.attestTimestamp)) {
    return undecodableOutcome(deployment, log, `${getter}(${id}) returned no time of attestation`)
  }
  return eventOutcome({
    kind: 'attestationMade',
    position: log.position,
    attestation: makeAttestation(deployment, log, event, record, context),
  })
}

function makeSchema(
  deployment: Deployment,
  log: ChainLog,
  id: bigint,
  record: SignSchemaRecord,
  context: DecodeContext,
): Schema {
  return {
    key: { chainId: deployment.chainId, localId: localIdOfCounter(id) },
    position: log.position,
    transactionHash: log.transactionHash,
    transactionSender: context.transactionSender,
    protocol: deployment.protocol,
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
    key: { chainId: deployment.chainId, localId: localIdOfCounter(event.id) },
    position: log.position,
    transactionHash: log.transactionHash,
    transactionSender: context.transactionSender,
    protocol: deployment.protocol,
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

function describeSignRevert(data: Hex): string {
  return data === legacyRequiredSelector
    ? 'with LegacySPRequired(): the record is in an older contract'
    : describeRevert(data)
}

/** Whether a time fits a number; no block is later than that. */
function isExactNumber(value: bigint): boolean {
  return value <= BigInt(Number.MAX_SAFE_INTEGER)
}
