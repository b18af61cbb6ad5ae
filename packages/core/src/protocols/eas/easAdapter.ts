import { localIdOfUid } from '../../model/compositeId.ts'
import type { DomainEvent } from '../../model/domainEvent.ts'
import { type Hash, type Hex, zeroAddress, zeroHash } from '../../model/hex.ts'
import type { Attestation, Schema, SchemaDefinition } from '../../model/records.ts'
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
import { AbiReader } from '../abi/abiReader.ts'
import type { DecodedRecord } from '../abi/decodedRecord.ts'
import {
  anchorOutcome,
  eventOutcome,
  originOf,
  revocationOutcome,
  staleOutcome,
  undecodableOutcome,
} from '../decodeOutcomes.ts'
import { decodeEasEvent, type EasAttested, type EasRegistered } from './decodeEasEvent.ts'
import {
  decodeAttestationRecord,
  decodeSchemaRecord,
  type EasAttestationRecord,
  type EasSchemaRecord,
} from './decodeEasRecord.ts'
import {
  easEventTypes,
  encodeGetterCall,
  getAttestationSelector,
  getSchemaSelector,
  nameSchemaUid,
} from './easAbi.ts'
import { parseSchemaString } from './parseSchemaString.ts'
import { readGetter } from '../readGetter.ts'

/**
 * The Ethereum Attestation Service. A deployment has two contracts: the EAS contract (`address`) and its
 * `schemaRegistry`. A read of the EAS contract completes an attestation. A read of the registry completes a schema
 * whose event lacks the record.
 */
export const easAdapter: ProtocolAdapter = {
  name: 'eas',
  title: 'EAS',
  topics: easEventTypes.map((type) => type.topic),
  senderTopics: [],
  payloadForm: 'flat',
  mayBeBornRevoked: false,
  defineSchema: ({ rawText }) => defineSchema(rawText),

  contractsOf: ({ address, schemaRegistry }) =>
    schemaRegistry === null ? [address] : [address, schemaRegistry],

  planRead(deployment, log): ContractRead | null {
    const event = decodeEasEvent(deployment, log)
    if (event.kind === 'attested') {
      return { to: deployment.address, data: encodeGetterCall(getAttestationSelector, event.uid) }
    }
    // The log of a registration comes from the registry, or it would not have been read as one.
    return event.kind === 'registered' && event.record === null
      ? { to: log.address, data: encodeGetterCall(getSchemaSelector, event.uid) }
      : null
  },

  decodeLog(deployment, log, result, context): DecodeOutcome {
    const event = decodeEasEvent(deployment, log)
    switch (event.kind) {
      case 'registered':
        return decodeRegistered(deployment, log, event, result, context)
      case 'attested':
        return decodeAttested(deployment, log, event, result, context)
      case 'revoked':
        return revocationOutcome(deployment, log, localIdOfUid(event.uid), '')
      case 'anchor':
        return anchorOutcome(deployment, log, {
          anchor: event.name,
          // `Timestamped` names no account; the sender of its transaction is the best substitute.
          account: event.account ?? context.transactionSender,
          value: event.value,
          reason: '',
        })
      case 'undecodable':
        return undecodableOutcome(deployment, log, event.reason)
    }
  },

  identifyEvent(log): IdentifiedEvent | null {
    // Either contract of a deployment might have made it.
    const event = decodeEasEvent({ address: log.address, schemaRegistry: log.address }, log)
    switch (event.kind) {
      case 'registered':
        return { kind: 'schemaRegistered', localId: localIdOfUid(event.uid) }
      case 'attested':
        return { kind: 'attestationMade', localId: localIdOfUid(event.uid) }
      case 'revoked':
        return { kind: 'attestationRevoked', localId: localIdOfUid(event.uid) }
      case 'anchor':
      case 'undecodable':
        return null
    }
  },

  readRevocation(result): ReadRevocation | null {
    const decoded = result.kind === 'returned' ? decodeAttestationRecord(result.data) : null
    if (decoded?.kind !== 'record') return null
    const { revocationTime } = decoded.record
    return { revoked: revocationTime !== 0n, timestamp: revocationTime }
  },

  // Uids are hashes.
  counters: null,
}

function decodeRegistered(
  deployment: Deployment,
  log: ChainLog,
  event: EasRegistered,
  result: ReadResult | null,
  context: DecodeContext,
): DecodeOutcome {
  let { record } = event
  if (record === null) {
    const read = readRecord(deployment, log, result, 'getSchema', event.uid, decodeSchemaRecord)
    if (read.kind !== 'record') return read
    record = read.record
  }
  return eventOutcome({
    kind: 'schemaRegistered',
    position: log.position,
    schema: makeSchema(deployment, log, event, record, context),
  })
}

function decodeAttested(
  deployment: Deployment,
  log: ChainLog,
  event: EasAttested,
  result: ReadResult | null,
  context: DecodeContext,
): DecodeOutcome {
  const read = readRecord(deployment, log, result, 'getAttestation', event.uid, decodeAttestationRecord)
  if (read.kind !== 'record') return read
  const { record } = read
  const contradiction = findContradiction(event, record)
  if (contradiction !== null) {
    return undecodableOutcome(deployment, log, `getAttestation(${event.uid}) returned ${contradiction}`)
  }
  const attestationMade: DomainEvent = {
    kind: 'attestationMade',
    position: log.position,
    attestation: makeAttestation(deployment, log, record, context),
  }
  const named = record.schema === nameSchemaUid ? decodeSchemaName(record.data) : null
  if (named === null) return eventOutcome(attestationMade)
  // The store decides whether the name counts, since this changes with time: the attester may not be the schema's
  // registrant.
  return eventOutcome(attestationMade, {
    kind: 'schemaNamed',
    position: log.position,
    schemaLocalId: localIdOfUid(named.schemaUid),
    name: named.name,
  })
}

/**
 * The payload of an attestation under "Name a Schema", `abi.encode(bytes32 schemaId, string name)`; null if it is
 * malformed.
 */
function decodeSchemaName(payload: Hex): { readonly schemaUid: Hash; readonly name: string } | null {
  const reader = new AbiReader(payload)
  const schemaUid = reader.hash()
  reader.tail(reader.offset(0))
  const name = reader.string()
  return reader.finish() === null ? { schemaUid, name } : null
}

/**
 * The record that a getter returned under its uid (see `readGetter`). A struct of zeros: the node does not know the
 * record yet. The contract never stores one, as it sets the uid.
 */
function readRecord<Struct extends { readonly uid: Hash }>(
  deployment: Deployment,
  log: ChainLog,
  result: ReadResult | null,
  getter: string,
  uid: Hash,
  decode: (returned: Hex) => DecodedRecord<Struct>,
): ReturnType<typeof readGetter<Struct>> {
  const call = `${getter}(${uid})`
  const read = readGetter(deployment, log, result, { call, noun: 'record', decode })
  if (read.kind !== 'record' || read.record.uid === uid) return read
  return read.record.uid === zeroHash
    ? staleOutcome(`${call} returned no record yet`)
    : undecodableOutcome(deployment, log, `${call} returned the record of another uid, ${read.record.uid}`)
}

/**
 * The contradiction between a record and its event, as half a sentence; the contract writes both from the same values.
 */
function findContradiction(event: EasAttested, record: EasAttestationRecord): string | null {
  if (record.schema !== event.schema) return `another schema than its event, ${record.schema}`
  if (record.attester !== event.attester) return `another attester than its event, ${record.attester}`
  if (record.recipient !== event.recipient) return `another recipient than its event, ${record.recipient}`
  if (record.time > BigInt(Number.MAX_SAFE_INTEGER)) return 'no time of attestation'
  return null
}

function makeSchema(
  deployment: Deployment,
  log: ChainLog,
  event: EasRegistered,
  record: EasSchemaRecord,
  context: DecodeContext,
): Schema {
  return {
    ...originOf(deployment, log, localIdOfUid(event.uid), context.transactionSender),
    registrant: event.registerer,
    // The registry keeps no time.
    registerTimestamp: log.blockTimestamp,
    revocable: record.revocable,
    maxValidFor: 0n,
    resolver: record.resolver,
    dataLocation: 'ONCHAIN',
    definition: defineSchema(record.schema),
    rawText: record.schema,
    context: null,
  }
}

function defineSchema(rawText: string): SchemaDefinition {
  return { name: '', description: '', fields: parseSchemaString(rawText) }
}

function makeAttestation(
  deployment: Deployment,
  log: ChainLog,
  record: EasAttestationRecord,
  context: DecodeContext,
): Attestation {
  return {
    ...originOf(deployment, log, localIdOfUid(record.uid), context.transactionSender),
    schemaLocalId: localIdOfUid(record.schema),
    attester: record.attester,
    attestTimestamp: unixSeconds(Number(record.time)),
    recipients: record.recipient === zeroAddress ? [] : [{ kind: 'address', address: record.recipient }],
    indexingValue: '',
    linkedAttestation: record.refUID === zeroHash ? null : localIdOfUid(record.refUID),
    validUntil: record.expirationTime,
    revocable: record.revocable,
    portal: null,
    contractVersion: null,
    subject: null,
    data: record.data,
    dataLocation: 'ONCHAIN',
    // No attestation is born revoked (the contract sets the time to zero), and each revocation has its event. The
    // record's own revocation time depends on the time of the read, so it must not count.
    revocationAtRead: { kind: 'none' },
  }
}
