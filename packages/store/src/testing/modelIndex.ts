import {
  recordKeyText,
  type ChainId,
  type LocalId,
  type RecordKey,
} from '@attestry/core/model/compositeId.ts'
import { listFieldLeaves, type FieldLeaf } from '@attestry/core/model/fieldValues.ts'
import { foldText } from '@attestry/core/model/foldText.ts'
import type { AddressListing } from '@attestry/core/index/indexQueries.ts'
import type { Address } from '@attestry/core/model/hex.ts'
import { valueMatchKey, type ClassifiedKeyword } from '@attestry/core/model/keyword.ts'
import { formatRecipient } from '@attestry/core/model/recordJson.ts'
import type { Attestation, Schema } from '@attestry/core/model/records.ts'
import type { AddressStatistics, StoredKey, StoredRevocation } from '@attestry/core/index/storedRecords.ts'
import type { GeneratedBlock } from './generatedChain.ts'
import { decodeTestPayload } from './testPayloads.ts'

/**
 * The answers that an index of these chains must give, worked out the slow and plain way: every list is filtered out of
 * an array and sorted. It shares no code with any store.
 */
export interface ModelIndex {
  readonly schemas: readonly ModelSchema[]
  readonly attestations: readonly ModelAttestation[]
}

export interface ModelSchema {
  readonly record: Schema
  readonly name: string
  readonly attestationCount: number
  readonly attesterCount: number
}

export interface ModelAttestation {
  readonly record: Attestation
  readonly revocation: StoredRevocation | null
  /** The values of its payload; none while its schema is not registered. */
  readonly leaves: readonly FieldLeaf[]
}

export function buildModel(chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>): ModelIndex {
  const attestations = [...chains].flatMap(([, blocks]) => attestationsOf(blocks))
  const schemas = [...chains].flatMap(([, blocks]) => schemasOf(blocks, attestations))
  return { schemas: schemas.sort(bySchemaOrder), attestations: attestations.sort(byAttestationOrder) }
}

function attestationsOf(blocks: readonly GeneratedBlock[]): ModelAttestation[] {
  const now = blocks.at(-1)?.timestamp ?? 0
  const events = blocks.flatMap((block) => block.events)
  const seen = new Map<string, { record: Attestation; revocation: StoredRevocation | null }>()
  for (const event of events) {
    if (event.kind === 'attestationMade') {
      const { revocationAtRead: read, attestTimestamp, transactionHash, key, protocol } = event.attestation
      const revocation =
        read.kind === 'made'
          ? { timestamp: String(read.timestamp || attestTimestamp), reason: '', transactionHash }
          : null
      seen.set(`${protocol} ${key.localId}`, { record: event.attestation, revocation })
    } else if (event.kind === 'attestationRevoked') {
      const found = seen.get(`${event.protocol} ${event.localId}`)
      if (found === undefined || found.revocation !== null) continue
      const { reason, transactionHash } = event
      found.revocation = { timestamp: String(event.timestamp), reason, transactionHash }
    }
  }
  for (const each of seen.values()) {
    const { revocationAtRead: read, attestTimestamp, transactionHash } = each.record
    if (each.revocation !== null || read.kind !== 'claimed' || read.timestamp >= BigInt(now)) continue
    each.revocation = { timestamp: String(read.timestamp || attestTimestamp), reason: '', transactionHash }
  }
  const fieldsOf = new Map(
    events.flatMap((event) =>
      event.kind === 'schemaRegistered'
        ? [
            [
              recordKeyText(storedKey(event.schema)),
              event.schema.definition.payloadFields ?? event.schema.definition.fields,
            ],
          ]
        : [],
    ),
  )
  return [...seen.values()].map(({ record, revocation }) => {
    const fields = fieldsOf.get(recordKeyText(schemaKeyOf(record)))
    const payload = fields === undefined ? null : decodeTestPayload({ ...record, fields })
    const leaves = payload?.kind === 'decoded' ? listFieldLeaves(payload.values) : []
    return { record, revocation, leaves }
  })
}

function schemasOf(
  blocks: readonly GeneratedBlock[],
  attestations: readonly ModelAttestation[],
): ModelSchema[] {
  const events = blocks.flatMap((block) => block.events)
  return events.flatMap((event) => {
    if (event.kind !== 'schemaRegistered') return []
    const { schema } = event
    const under = attestations.filter(({ record }) => isUnder(record, storedKey(schema)))
    const names = events.filter((each) => {
      if (each.kind !== 'schemaNamed' || each.schemaLocalId !== schema.key.localId) return false
      const giver = attestations.find(
        ({ record }) => record.key.chainId === schema.key.chainId && record.position === each.position,
      )
      if (giver?.record.protocol !== schema.protocol) return false
      return giver.revocation === null && giver.record.attester === schema.registrant
    })
    const newest = names.at(-1)
    return [
      {
        record: schema,
        name: newest?.kind === 'schemaNamed' ? newest.name : schema.definition.name,
        attestationCount: under.length,
        attesterCount: new Set(under.map(({ record }) => record.attester)).size,
      },
    ]
  })
}

/** The key under which a record is stored. */
export function storedKey({ key, protocol }: Attestation | Schema): StoredKey {
  return { ...key, protocol }
}

/** The key of an attestation's schema. */
export function schemaKeyOf({ key, protocol, schemaLocalId }: Attestation): StoredKey {
  return { chainId: key.chainId, localId: schemaLocalId, protocol }
}

export function isUnder(attestation: Attestation, schema: RecordKey | null): boolean {
  return schema !== null && isSame(schemaKeyOf(attestation), schema)
}

/** Whether a stored key is one that an asked key may mean. */
function isSame(stored: StoredKey, { chainId, localId, protocol }: RecordKey): boolean {
  return (
    stored.chainId === chainId &&
    stored.localId === localId &&
    stored.protocol === (protocol ?? stored.protocol)
  )
}

/** The record that a key means: the first by protocol. Null if there is no such record. */
function firstOf(keys: readonly StoredKey[], asked: RecordKey): StoredKey | null {
  const [first] = keys.filter((key) => isSame(key, asked)).sort((a, b) => (a.protocol < b.protocol ? -1 : 1))
  return first ?? null
}

export function meantSchema(model: ModelIndex, key: RecordKey): StoredKey | null {
  const registered = model.schemas.map(({ record }) => storedKey(record))
  const referred = model.attestations.map(({ record }) => schemaKeyOf(record))
  return firstOf(registered, key) ?? firstOf(referred, key)
}

export function meantAttestation(model: ModelIndex, key: RecordKey): StoredKey | null {
  return firstOf(
    model.attestations.map(({ record }) => storedKey(record)),
    key,
  )
}

/** The attestation that others refer to, which need not be indexed. */
export function meantLink(model: ModelIndex, key: RecordKey): StoredKey | null {
  const referred = model.attestations.flatMap(({ record: { key: of, protocol, linkedAttestation } }) =>
    linkedAttestation === null ? [] : [{ chainId: of.chainId, protocol, localId: linkedAttestation }],
  )
  return meantAttestation(model, key) ?? firstOf(referred, key)
}

export function hasRecipient(attestation: Attestation, address: Address): boolean {
  return attestation.recipients.some(
    (recipient) => recipient.kind === 'address' && recipient.address === address,
  )
}

export function isOfAddress(
  model: ModelIndex,
  attestation: Attestation,
  query: Omit<AddressListing, 'attester'>,
): boolean {
  const { address, role, chainId, schema } = query
  const created = attestation.attester === address
  const received = hasRecipient(attestation, address)
  if (!{ created, received, either: created || received }[role]) return false
  if (chainId !== null && attestation.key.chainId !== chainId) return false
  if (schema === null) return true
  const { localId, protocol = null } = schema.kind === 'key' ? schema.key : schema
  const own = { chainId: attestation.key.chainId, localId, protocol }
  if (schema.kind === 'key' && schema.key.chainId !== own.chainId) return false
  return isUnder(attestation, meantSchema(model, own))
}

export function modelStatistics(model: ModelIndex, address: Address): AddressStatistics {
  const count = (role: AddressListing['role']) =>
    model.attestations.filter(({ record }) =>
      isOfAddress(model, record, { address, role, chainId: null, schema: null }),
    ).length
  return {
    schemaCreated: model.schemas.filter(({ record }) => record.registrant === address).length,
    attestationCreated: count('created'),
    attestationReceived: count('received'),
    totalAttestations: count('either'),
  }
}

/**
 * The rank at which a keyword finds an attestation: 0 by its id, its transaction or an address, 1 by a value, 2 by the
 * beginning of its id. Null if the keyword does not find it.
 */
export function rankAttestation(attestation: Attestation, keyword: ClassifiedKeyword): number | null {
  if (isFoundExactly(attestation, keyword)) return 0
  // The listings of an address have no ranks.
  if (hasValue(attestation, keyword.text)) return keyword.target.kind === 'address' ? 0 : 1
  const { target } = keyword
  return target.kind === 'hexPrefix' && rankPrefix(attestation.key.localId, target.digits) !== null ? 2 : null
}

function isFoundExactly(attestation: Attestation, { target }: ClassifiedKeyword): boolean {
  const { key, attester, transactionHash } = attestation
  switch (target.kind) {
    case 'compositeId':
      return key.chainId === target.key?.chainId && key.localId === target.key.localId
    case 'address':
      return attester === target.address || hasRecipient(attestation, target.address)
    case 'hash':
      return [key.localId as string, transactionHash].includes(target.hash)
    case 'hexPrefix':
      return rankPrefix(key.localId, target.digits) === 0
    case 'number':
      return key.localId === target.localId
    case 'text':
      return false
  }
}

function hasValue({ indexingValue, recipients }: Attestation, text: string): boolean {
  const texts = recipients.flatMap((each) => (each.kind === 'address' ? [] : [formatRecipient(each)]))
  return [indexingValue, ...texts].some(
    (value) => value !== '' && valueMatchKey(value) === valueMatchKey(text),
  )
}

export function rankSchema(schema: ModelSchema, { target }: ClassifiedKeyword): number | null {
  const { key, registrant, resolver, transactionHash } = schema.record
  switch (target.kind) {
    case 'compositeId':
      return key.chainId === target.key?.chainId && key.localId === target.key.localId ? 0 : null
    case 'address':
      return registrant === target.address || resolver === target.address ? 0 : null
    case 'hash':
      return [key.localId as string, transactionHash].includes(target.hash) ? 0 : null
    case 'hexPrefix':
      return rankPrefix(key.localId, target.digits)
    case 'number':
      return key.localId === target.localId ? 0 : rankText(schema, target.folded)
    case 'text':
      return rankText(schema, target.folded)
  }
}

function rankPrefix(localId: LocalId, digits: string): number | null {
  if (digits === '' || !localId.startsWith(`0x${digits}`)) return null
  return localId === `0x${digits}` ? 0 : 1
}

function rankText(schema: ModelSchema, folded: string): number | null {
  const name = foldText(schema.name)
  if (name === folded) return 2
  if (name.startsWith(folded)) return 3
  if (name.includes(folded)) return 4
  return foldText(schema.record.definition.description).includes(folded) ? 5 : null
}

export function byAttestationOrder(a: ModelAttestation, b: ModelAttestation): number {
  return (
    b.record.attestTimestamp - a.record.attestTimestamp ||
    b.record.key.chainId - a.record.key.chainId ||
    b.record.position - a.record.position
  )
}

export function bySchemaOrder(a: ModelSchema, b: ModelSchema): number {
  return (
    b.record.registerTimestamp - a.record.registerTimestamp ||
    b.record.key.chainId - a.record.key.chainId ||
    b.record.position - a.record.position
  )
}

export function byTopOrder(a: ModelSchema, b: ModelSchema): number {
  return b.attestationCount - a.attestationCount || -bySchemaOrder(a, b)
}

/** The trending schemas by the formula of docs/api.md, "Order". */
export function modelTrending(model: ModelIndex): readonly ModelSchema[] {
  const hourOf = ({ record }: ModelAttestation) => Math.floor(record.attestTimestamp / 3600)
  const newest = Math.max(...model.attestations.map(hourOf))
  const scored = model.schemas.map((schema) => {
    const hours = model.attestations
      .filter(({ record }) => isUnder(record, storedKey(schema.record)))
      .map(hourOf)
    let score = 0
    for (let age = 0; age < 168; age++) {
      const count = hours.filter((hour) => hour === newest - age).length
      score += Math.log(1 + count) * 2 ** (-age / 24)
    }
    return { schema, score: Number(score.toPrecision(12)) }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || byTopOrder(a.schema, b.schema))
    .map(({ schema }) => schema)
}
