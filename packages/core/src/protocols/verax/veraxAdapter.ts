import { formatCompositeId, localIdOfUid } from '../../model/compositeId.ts'
import type { MetadataSet } from '../../model/domainEvent.ts'
import { type Address, type Hash, type Hex, noBytes, zeroAddress } from '../../model/hex.ts'
import { registriesOf } from '../../model/indexedContract.ts'
import type { Attestation, Schema, SchemaDefinition } from '../../model/records.ts'
import { unixSeconds } from '../../model/time.ts'
import {
  eventOutcome,
  isOlderState,
  originOf,
  revocationOutcome,
  staleOutcome,
  undecodableOutcome,
} from '../decodeOutcomes.ts'
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
import { readGetter } from '../readGetter.ts'
import { decodeSubject } from './decodeSubject.ts'
import {
  decodeVeraxEvent,
  type VeraxRegistered,
  type VeraxRevocation,
  type VeraxSchemaCreated,
} from './decodeVeraxEvent.ts'
import {
  decodeAttestationRecord,
  decodePortalRecord,
  decodeSchema,
  type VeraxAttestationRecord,
} from './decodeVeraxRecord.ts'
import { parseExtends } from './parseExtends.ts'
import { parseVeraxSchema } from './parseVeraxSchema.ts'
import {
  encodeGetAttestation,
  encodeGetPortal,
  encodeGetSchema,
  notAttestedSelector,
  portalNotRegisteredSelector,
  schemaNotRegisteredSelector,
  veraxEventTypes,
} from './veraxAbi.ts'
import { veraxCounters } from './veraxCounters.ts'

/**
 * Verax, v2 to v10. A deployment has two contracts that make records: the attestation registry (`address`) and its
 * `schemaRegistry`; its `portalRegistry` and `moduleRegistry` name portals and modules. The event of an attestation
 * holds only its id, so a read of the registry completes it. The event of a schema holds everything. A replacement
 * revokes one attestation and makes another in the same transaction, with a log that names both.
 */
export const veraxAdapter: ProtocolAdapter = {
  name: 'verax',
  title: 'Verax',
  topics: veraxEventTypes.map((type) => type.topic),
  senderTopics: veraxEventTypes.filter(({ kind }) => kind === 'schemaCreated').map(({ topic }) => topic),
  // The SDK encodes a schema in parentheses as one tuple, and decodes in this order too.
  payloadForm: 'wrappedOrFlat',
  mayBeBornRevoked: false,
  // Name and description stand in the event.
  defineSchema: ({ rawText, definition: { name, description } }) => ({
    name,
    description,
    ...parseFields(rawText),
  }),

  contractsOf: ({ address, schemaRegistry, ...deployment }) =>
    [address, schemaRegistry, ...Object.values(registriesOf(deployment))].filter((each) => each !== null),

  planRead(deployment, log): ContractRead | null {
    const event = decodeVeraxEvent(deployment, log)
    switch (event.kind) {
      case 'attestationRegistered':
        return { to: log.address, data: encodeGetAttestation(localIdOfUid(event.id)) }
      case 'contextUpdated':
        return { to: log.address, data: encodeGetSchema(localIdOfUid(event.id)), changes: true }
      case 'portalRegistered':
      case 'portalRevoked':
        return { to: log.address, data: encodeGetPortal(event.registered), changes: true }
      default:
        return null
    }
  },

  decodeLog(deployment, log, result, context): DecodeOutcome {
    const event = decodeVeraxEvent(deployment, log)
    switch (event.kind) {
      case 'attestationRegistered':
        return decodeRegistered(deployment, log, event.id, result, context)
      case 'contextUpdated':
        return decodeContextUpdated(deployment, log, event.id, result)
      case 'portalRegistered':
        return decodePortalRegistered(deployment, log, event, result)
      case 'moduleRegistered':
        return eventOutcome(metadataOf(deployment, log, 'module', event))
      case 'revoked':
        return revocationOutcome(
          deployment,
          log,
          localIdOfUid(event.id),
          describeReplacement(deployment, event, context),
        )
      case 'replaced':
        // The two other logs of the replacement read this one.
        return eventOutcome()
      case 'portalRevoked':
        // The known facts about the portal stay. The log only marks the reads of the portal that a later block changed.
        return eventOutcome()
      case 'schemaCreated':
        return eventOutcome({
          kind: 'schemaRegistered',
          position: log.position,
          schema: makeSchema(deployment, log, event, context),
        })
      case 'undecodable':
        return undecodableOutcome(deployment, log, event.reason)
    }
  },

  identifyEvent(log): IdentifiedEvent | null {
    // Any contract of a deployment might have made it.
    const { address } = log
    const event = decodeVeraxEvent(
      { address, schemaRegistry: address, portalRegistry: address, moduleRegistry: address },
      log,
    )
    switch (event.kind) {
      case 'attestationRegistered':
        return { kind: 'attestationMade', localId: localIdOfUid(event.id) }
      case 'revoked':
        return { kind: 'attestationRevoked', localId: localIdOfUid(event.id) }
      case 'schemaCreated':
        return { kind: 'schemaRegistered', localId: localIdOfUid(event.id) }
      case 'contextUpdated':
      case 'portalRegistered':
      case 'portalRevoked':
      case 'moduleRegistered':
      case 'replaced':
      case 'undecodable':
        return null
    }
  },

  readRevocation(result): ReadRevocation | null {
    const decoded = result.kind === 'returned' ? decodeAttestationRecord(result.data) : null
    if (decoded?.kind !== 'record') return null
    const { revoked, revocationDate } = decoded.record
    return { revoked, timestamp: revocationDate }
  },

  counters: veraxCounters,
}

function decodeRegistered(
  deployment: Deployment,
  log: ChainLog,
  id: Hash,
  result: ReadResult | null,
  context: DecodeContext,
): DecodeOutcome {
  const call = `getAttestation(${id})`
  const reverts = { [notAttestedSelector]: null }
  const getter = { call, noun: 'attestation', decode: decodeAttestationRecord, reverts }
  const read = readGetter(deployment, log, result, getter)
  if (read.kind !== 'record') return read
  const { record } = read
  if (record.id !== id) {
    return undecodableOutcome(deployment, log, `${call} returned the record of another id, ${record.id}`)
  }
  if (record.attestedDate > BigInt(Number.MAX_SAFE_INTEGER)) {
    return undecodableOutcome(deployment, log, `${call} returned no time of attestation`)
  }
  return eventOutcome({
    kind: 'attestationMade',
    position: log.position,
    attestation: makeAttestation(deployment, log, record, context),
  })
}

const forgottenPortal = { owner: null, ownerName: '', isRevocable: null, modules: null }

/**
 * Decodes the registration of a portal. The registry forgets a revoked portal and then answers like a stale node, so the
 * details of such a portal stay unknown.
 */
function decodePortalRegistered(
  deployment: Deployment,
  log: ChainLog,
  event: VeraxRegistered,
  result: ReadResult | null,
): DecodeOutcome {
  const registered = (portal: object) => eventOutcome(metadataOf(deployment, log, 'portal', event, portal))
  const call = `getPortalByAddress(${event.registered})`
  if (result === null) return staleOutcome(`${call} was not read`)
  if (result.kind === 'reverted' && result.data === portalNotRegisteredSelector) {
    return {
      ...staleOutcome(`${call} returned no portal yet`),
      otherwise: registered(forgottenPortal).events,
    }
  }
  if (isOlderState(result)) {
    return staleOutcome(`${call} returned nothing: no contract there yet`)
  }
  const decoded = result.kind === 'returned' ? decodePortalRecord(result.data) : null
  if (decoded?.kind !== 'record') return undecodableOutcome(deployment, log, `${call} returned no portal`)
  const { owner, ownerName, isRevocable, modules } = decoded.record
  return registered({ owner, ownerName, isRevocable, modules })
}

/** The known facts about a registered portal or module: those of its event, and more. */
function metadataOf(
  { protocol }: Deployment,
  { position, blockNumber, blockTimestamp, transactionHash }: ChainLog,
  of: 'portal' | 'module',
  { name, description, registered: subject }: VeraxRegistered,
  more: object = {},
): MetadataSet {
  const registration = { blockNumber, timestamp: blockTimestamp, transactionHash }
  const body = JSON.stringify({ name, description, ...more, registration })
  return { kind: 'metadataSet', position, protocol, of, subject, body }
}

function decodeContextUpdated(
  deployment: Deployment,
  log: ChainLog,
  id: Hash,
  result: ReadResult | null,
): DecodeOutcome {
  const reverts = { [schemaNotRegisteredSelector]: null }
  const getter = { call: `getSchema(${id})`, noun: 'schema', decode: decodeSchema, reverts }
  const read = readGetter(deployment, log, result, getter)
  if (read.kind !== 'record') return read
  return eventOutcome({
    kind: 'metadataSet',
    position: log.position,
    protocol: deployment.protocol,
    of: 'schemaContext',
    subject: localIdOfUid(id),
    body: read.record.context,
  })
}

/** The reason of a revocation: which attestation took the place of the revoked one; empty if none did. */
function describeReplacement(deployment: Deployment, event: VeraxRevocation, context: DecodeContext): string {
  const replacedBy = event.replacedBy ?? findReplacements(deployment, context).successors.get(event.id)
  if (replacedBy === undefined) return ''
  const { chainId } = deployment
  return `replaced by ${formatCompositeId({ chainId, localId: localIdOfUid(replacedBy) })}`
}

/** The replacements of one registry in a transaction, by both ids. */
interface Replacements {
  readonly registry: Address
  readonly successors: Map<Hash, Hash>
  readonly predecessors: Map<Hash, Hash>
}

/**
 * By the logs of a transaction, which all its records share. Without it, decoding a transaction of 200 replacements took
 * 7 times as long, and one of 800 took 160 times as long.
 */
const replacementsOf = new WeakMap<readonly ChainLog[], Replacements>()

/** The replacements among the logs of the transaction, of v2 and of later versions. */
function findReplacements(deployment: Deployment, { transactionLogs }: DecodeContext): Replacements {
  const known = replacementsOf.get(transactionLogs)
  if (known?.registry === deployment.address) return known
  const found: Replacements = { registry: deployment.address, successors: new Map(), predecessors: new Map() }
  for (const log of transactionLogs) {
    if (!replacementTopics.has(log.topics[0] ?? noBytes)) continue
    const event = decodeVeraxEvent(deployment, log)
    if ((event.kind !== 'replaced' && event.kind !== 'revoked') || event.replacedBy === null) continue
    found.successors.set(event.id, event.replacedBy)
    found.predecessors.set(event.replacedBy, event.id)
  }
  replacementsOf.set(transactionLogs, found)
  return found
}

const replacementTopics: ReadonlySet<Hex> = new Set(
  veraxEventTypes
    .filter(({ kind }) => kind === 'replaced' || kind === 'revokedForAnother')
    .map(({ topic }) => topic),
)

function makeSchema(
  deployment: Deployment,
  log: ChainLog,
  { id, name, description, context, schema }: VeraxSchemaCreated,
  { transactionSender }: DecodeContext,
): Schema {
  return {
    ...originOf(deployment, log, localIdOfUid(id), transactionSender),
    // Neither the event nor a getter names the creator.
    registrant: transactionSender ?? zeroAddress,
    registerTimestamp: log.blockTimestamp,
    // The portal decides whether its attestations can be revoked.
    revocable: true,
    maxValidFor: 0n,
    resolver: zeroAddress,
    dataLocation: 'ONCHAIN',
    definition: { name, description, ...parseFields(schema) },
    rawText: schema,
    context,
  }
}

/**
 * Parses the fields of a schema. If the text after the reference to a parent schema does not parse, the schema has
 * neither fields nor a parent.
 */
function parseFields(text: string): Pick<SchemaDefinition, 'fields' | 'extends'> {
  const extended = parseExtends(text)
  if (extended === null) return { fields: parseVeraxSchema(text) }
  const fields = parseVeraxSchema(extended.own)
  return fields.length === 0 && extended.own.trim() !== '' ? { fields } : { fields, extends: extended.parent }
}

function makeAttestation(
  deployment: Deployment,
  log: ChainLog,
  record: VeraxAttestationRecord,
  context: DecodeContext,
): Attestation {
  const localId = localIdOfUid(record.id)
  const replaced = findReplacements(deployment, context).predecessors.get(record.id)
  const subject = decodeSubject(record.subject)
  return {
    ...originOf(deployment, log, localId, context.transactionSender),
    schemaLocalId: localIdOfUid(record.schemaId),
    attester: record.attester,
    attestTimestamp: unixSeconds(Number(record.attestedDate)),
    recipients: subject === null ? [] : [subject],
    indexingValue: '',
    linkedAttestation: replaced === undefined ? null : localIdOfUid(replaced),
    validUntil: record.expirationDate,
    // The record does not say what its portal allows.
    revocable: null,
    portal: record.portal,
    contractVersion: record.version,
    subject: record.subject,
    data: record.data,
    dataLocation: 'ONCHAIN',
    // No attestation is born revoked, and each revocation has its event.
    revocationAtRead: { kind: 'none' },
  }
}
