import { getAddress } from 'viem'
import { recordKeyText, type ChainId, type RecordKey } from '@attestry/core/model/compositeId.ts'
import { matchesField } from '@attestry/core/model/fieldValues.ts'
import { parseAddress, parseHash, type Address, type Hash } from '@attestry/core/model/hex.ts'
import { valueMatchKey } from '@attestry/core/model/keyword.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import { formatRecipient } from '@attestry/core/model/recordJson.ts'
import type { ProvableEvent, ProvenEvent } from '@attestry/core/model/recordProof.ts'
import type { Attestation, ProtocolName, Schema } from '@attestry/core/model/records.ts'
import type {
  ActivitySubject,
  AnchorFilter,
  AttestationFilter,
  AttestationGroups,
  AttestationStatus,
  GroupBy,
  GroupsRequest,
  Holding,
  HoldingsRequest,
  RegisteredKind,
  SchemaFilter,
} from '@attestry/core/index/indexQueries.ts'
import type {
  ActivityDay,
  AnchorCount,
  ProtocolDay,
  ProtocolTotals,
  RowPlace,
  StoredAnchor,
  StoredKey,
} from '@attestry/core/index/storedRecords.ts'
import {
  hasRecipient,
  isUnder,
  meantAttestation,
  meantLink,
  meantSchema,
  storedKey,
  type ModelAttestation,
  type ModelIndex,
  type ModelSchema,
} from './modelIndex.ts'
import type { GeneratedBlock } from './generatedChain.ts'
import { identityOf } from './storeFactory.ts'

/**
 * The answers that `IndexReader` must give for a model, the plain way: every record is looked at, every count is a
 * length.
 */

export function passesFilter(
  model: ModelIndex,
  attestation: ModelAttestation,
  filter: AttestationFilter,
): boolean {
  const { recipientHolds, attesterHolds } = filter
  const named = filter.schema?.protocol ?? filter.protocol
  const holds = (address: Address, holding: Holding) => {
    const own = { ...holding.schema, protocol: holding.schema.protocol ?? named }
    const schema = meantSchema(model, own) ?? holding.schema
    return modelHolding(model, address, { ...holding, schema }) !== null
  }
  const { record, revocation } = attestation
  const { attestTimestamp: time } = record
  const isExpired = (at: number) => isExpiredAt(attestation, at)
  const isRevokedAt = (at: number) => revocation !== null && BigInt(revocation.timestamp) <= BigInt(at)
  const { recipient, expired, validAt, linkedAttestations, indexingValue } = filter
  const ofProtocol = (key: RecordKey) => ({ ...key, protocol: key.protocol ?? filter.protocol })
  const schema = filter.schema && ofProtocol(filter.schema)
  const linked = linkedAttestations?.map((key) => meantLink(model, ofProtocol(key))) ?? null
  return (
    (schema === null || isUnder(record, meantSchema(model, schema))) &&
    (filter.attester === null || record.attester === filter.attester) &&
    (recipient === null || isReceivedBy(record, recipient)) &&
    (filter.chainId === null || record.key.chainId === filter.chainId) &&
    (filter.protocol === null || record.protocol === filter.protocol) &&
    (filter.revoked === null || (revocation !== null) === filter.revoked) &&
    (expired === null || isExpired(expired.at) === expired.is) &&
    (validAt === null || (time <= validAt && !isExpired(validAt) && !isRevokedAt(validAt))) &&
    (filter.attestedFrom === null || time >= filter.attestedFrom) &&
    (filter.attestedBefore === null || time < filter.attestedBefore) &&
    (filter.revokedFrom === null || (revocation !== null && !isRevokedAt(filter.revokedFrom - 1))) &&
    (filter.revokedBefore === null || isRevokedAt(filter.revokedBefore - 1)) &&
    (linked === null || linked.some((key) => key !== null && isLinkedTo(record, key))) &&
    (recipientHolds === null ||
      record.recipients.some((each) => each.kind === 'address' && holds(each.address, recipientHolds))) &&
    (attesterHolds === null || holds(record.attester, attesterHolds)) &&
    (indexingValue === null || valueMatchKey(record.indexingValue) === valueMatchKey(indexingValue)) &&
    (filter.portal === null || record.portal === filter.portal) &&
    (filter.dataLocation === null || record.dataLocation === filter.dataLocation) &&
    filter.fields.every((condition) => matchesField(attestation.leaves, condition))
  )
}

/** The status of an attestation by the clock of the server; null if the attestation is not indexed. */
export function modelStatus(model: ModelIndex, key: RecordKey, now: number): AttestationStatus | null {
  const meant = meantAttestation(model, key)
  const found = model.attestations.find(({ record }) => isRecord(record, meant))
  if (found === undefined) return null
  if (found.revocation !== null) return 'revoked'
  return isExpiredAt(found, now) ? 'expired' : 'valid'
}

/** The ids of what a transaction made and revoked, each in the order of the chain. */
export function modelTransaction(
  model: ModelIndex,
  hash: Hash,
): Record<'schemas' | 'attestations' | 'revocations', readonly RecordKey[]> {
  const inOrder = <Record extends { readonly record: Schema | Attestation }>(records: readonly Record[]) =>
    records.toSorted((a, b) => a.record.position - b.record.position).map(({ record }) => storedKey(record))
  const { schemas, attestations } = model
  return {
    schemas: inOrder(schemas.filter(({ record }) => record.transactionHash === hash)),
    attestations: inOrder(attestations.filter(({ record }) => record.transactionHash === hash)),
    revocations: inOrder(attestations.filter(({ revocation }) => revocation?.transactionHash === hash)),
  }
}

/** The newest attestation that makes an address a holder. The attestations of a model are newest first. */
export function modelHolding(model: ModelIndex, address: Address, holding: Holding): RecordKey | null {
  const { attester, hops = 1, valid } = holding
  const schema = meantSchema(model, holding.schema)
  const isVouched = (account: Address) =>
    hops > 1 && modelHolding(model, account, { ...holding, hops: 1 }) !== null
  const found = model.attestations.find((attestation) => {
    const { record, revocation } = attestation
    const { kind, at } = valid
    return (
      hasRecipient(record, address) &&
      isUnder(record, schema) &&
      (attester === null || record.attester === attester || isVouched(record.attester)) &&
      !isExpiredAt(attestation, at) &&
      (kind === 'now'
        ? revocation === null
        : record.attestTimestamp <= at &&
          !(revocation !== null && BigInt(revocation.timestamp) <= BigInt(at)))
    )
  })
  return found === undefined ? null : storedKey(found.record)
}

/** The answer of `findHoldings` for an address; of a block, the model is one that ended there. */
export function modelHoldings(
  model: ModelIndex,
  address: Address,
  request: Omit<HoldingsRequest, 'addresses'>,
): StoredKey[] {
  const { role, attesters, fields, attestedFrom, valid, attestersMin } = request
  const schema = meantSchema(model, request.schema)
  const found = new Map<Address, StoredKey>()
  for (const attestation of model.attestations) {
    const { record, revocation, leaves } = attestation
    const isRevoked =
      revocation !== null && (valid.kind !== 'then' || BigInt(revocation.timestamp) <= BigInt(valid.at))
    if (
      isUnder(record, schema) &&
      (role === 'attester' ? record.attester === address : hasRecipient(record, address)) &&
      (attesters?.includes(record.attester) ?? true) &&
      record.attestTimestamp >= (attestedFrom ?? 0) &&
      (valid.kind === 'now' || record.attestTimestamp <= valid.at) &&
      !isExpiredAt(attestation, valid.at) &&
      !isRevoked &&
      fields.every((condition) => matchesField(leaves, condition)) &&
      !found.has(record.attester)
    ) {
      found.set(record.attester, storedKey(record))
    }
  }
  return [...found.values()].slice(0, attestersMin)
}

function isExpiredAt({ record: { validUntil } }: ModelAttestation, at: number): boolean {
  return validUntil !== 0n && validUntil <= BigInt(at)
}

function isReceivedBy(record: Attestation, recipient: NonNullable<AttestationFilter['recipient']>): boolean {
  const address = recipient.kind === 'address' ? recipient.address : parseAddress(recipient.value)
  if (address !== null) return hasRecipient(record, address)
  if (recipient.kind === 'value' && recipient.under !== undefined && hasRecipient(record, recipient.under))
    return true
  const value = recipient.kind === 'value' ? valueMatchKey(recipient.value) : ''
  return record.recipients.some(
    (each) => each.kind !== 'address' && valueMatchKey(formatRecipient(each)) === value,
  )
}

function isLinkedTo({ key, protocol, linkedAttestation }: Attestation, linked: StoredKey): boolean {
  return (
    key.chainId === linked.chainId && protocol === linked.protocol && linkedAttestation === linked.localId
  )
}

function isRecord(record: Attestation | Schema, key: StoredKey | null): boolean {
  return key !== null && recordKeyText(storedKey(record)) === recordKeyText(key)
}

export function passesSchemaFilter({ record }: ModelSchema, filter: SchemaFilter): boolean {
  return (
    (filter.registrant === null || record.registrant === filter.registrant) &&
    (filter.resolver === null || record.resolver === filter.resolver) &&
    (filter.chainId === null || record.key.chainId === filter.chainId) &&
    (filter.protocol === null || record.protocol === filter.protocol) &&
    (filter.revocable === null || record.revocable === filter.revocable) &&
    (filter.registeredFrom === null || record.registerTimestamp >= filter.registeredFrom) &&
    (filter.registeredBefore === null || record.registerTimestamp < filter.registeredBefore)
  )
}

export function placeOfAttestation({ record }: ModelAttestation): RowPlace {
  return { timestamp: record.attestTimestamp, chainId: record.key.chainId, position: record.position }
}

export function placeOfSchema({ record }: ModelSchema): RowPlace {
  return { timestamp: record.registerTimestamp, chainId: record.key.chainId, position: record.position }
}

export function modelTopAttesters(
  model: ModelIndex,
  schema: RecordKey,
): { readonly address: Address; readonly count: number }[] {
  const counts = new Map<Address, number>()
  const meant = meantSchema(model, schema)
  for (const { record } of model.attestations) {
    if (isUnder(record, meant)) counts.set(record.attester, (counts.get(record.attester) ?? 0) + 1)
  }
  return [...counts]
    .map(([address, count]) => ({ address, count }))
    .sort((a, b) => b.count - a.count || (a.address < b.address ? -1 : 1))
}

/** The groups of the attestations that pass a filter, on one page. */
export function modelGroups(
  model: ModelIndex,
  { by, filter }: Omit<GroupsRequest, 'page' | 'size'>,
): AttestationGroups {
  const passing = model.attestations.filter((attestation) => passesFilter(model, attestation, filter))
  const keys = passing.flatMap((attestation) => [...new Set(modelKeys(attestation, by))])
  const rows = [...Map.groupBy(keys, (key) => key)].map(([key, { length: count }]) => ({ key, count }))
  const isAddress = (key: string) => typeof by !== 'object' && parseAddress(key) !== null
  const order = (key: string) => (isAddress(key) ? key.toLowerCase() : key)
  rows.sort((a, b) =>
    by === 'day' || by === 'month'
      ? Date.parse(b.key) - Date.parse(a.key)
      : b.count - a.count || (order(a.key) < order(b.key) ? -1 : 1),
  )
  if (by !== 'schema') return { total: passing.length, groups: rows.length, rows }
  const ofSchemas = rows.map(({ key, count }) => {
    const [id = '', protocol = ''] = key.split(' ')
    return { key: id, protocol, count }
  })
  return { total: passing.length, groups: rows.length, rows: ofSchemas }
}

function modelKeys(attestation: ModelAttestation, by: GroupBy): string[] {
  const { record, revocation } = attestation
  if (typeof by === 'object') {
    const leaves = attestation.leaves.filter(({ path }) => path.join('\0') === by.path.join('\0'))
    const led = attestation.leaves.flatMap(({ path, kind, value }) => {
      const texts = by.contents?.paths.get(path.join('.'))
      return kind === 'text' ? (texts?.get(value) ?? []) : []
    })
    return [...new Set([...leaves.map(({ value }) => value), ...led])]
  }
  const time = new Date(record.attestTimestamp * 1000).toISOString()
  switch (by) {
    case 'schema':
      return [`onchain_evm_${record.key.chainId}_${record.schemaLocalId} ${record.protocol}`]
    case 'attester':
      return [getAddress(record.attester)]
    case 'recipient':
      return record.recipients.map((each) =>
        each.kind === 'address' ? getAddress(each.address) : valueMatchKey(formatRecipient(each)),
      )
    case 'chain':
      return [String(record.key.chainId)]
    case 'protocol':
      return [record.protocol]
    case 'revoked':
      return [String(revocation !== null)]
    case 'day':
      return [time.slice(0, 10)]
    case 'month':
      return [time.slice(0, 7)]
  }
}

export function modelActivity(model: ModelIndex, subject: ActivitySubject): ActivityDay[] {
  const records = model.attestations.map(({ record }) => record)
  const schemas = subject.kind === 'schema' ? [] : model.schemas.map(({ record }) => record)
  const meant = subject.kind === 'schema' ? meantSchema(model, subject.key) : null
  const isMade = (record: Attestation) =>
    subject.kind === 'everything' ||
    (subject.kind === 'schema' ? isUnder(record, meant) : record.attester === subject.address)
  const days = new Map<number, { attestations: number; received: number; schemas: number }>()
  const count = (member: 'attestations' | 'received' | 'schemas', timestamp: number) => {
    const day = Math.floor(timestamp / 86_400)
    const counts = days.get(day) ?? { attestations: 0, received: 0, schemas: 0 }
    counts[member] += 1
    days.set(day, counts)
  }
  for (const record of records) {
    if (isMade(record)) count('attestations', record.attestTimestamp)
    if (subject.kind === 'address' && hasRecipient(record, subject.address)) {
      count('received', record.attestTimestamp)
    }
  }
  for (const schema of schemas) {
    if (subject.kind !== 'address' || schema.registrant === subject.address) {
      count('schemas', schema.registerTimestamp)
    }
  }
  return [...days].sort(([a], [b]) => a - b).map(([day, counts]) => ({ day, ...counts }))
}

export function modelAnchorCounts(
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  account: Address,
): readonly AnchorCount[] {
  return [...chains]
    .flatMap(([chainId, blocks]) => {
      const anchors = blocks
        .flatMap(({ events }) => events)
        .filter((event) => event.kind === 'anchorMade' && event.account === account)
      const groups = Map.groupBy(anchors, (event) => (event.kind === 'anchorMade' ? event.anchor : ''))
      return [...groups].map(([anchor, { length: count }]) => ({ chainId, anchor, count }))
    })
    .sort((a, b) => a.chainId - b.chainId || (a.anchor < b.anchor ? -1 : 1))
}

/** The bodies of the portals or modules of a protocol on a chain, by address: the newest of each. */
export function modelRegistered(
  blocks: readonly GeneratedBlock[],
  protocol: ProtocolName,
  of: RegisteredKind,
): ReadonlyMap<string, string> {
  const set = blocks
    .flatMap(({ events }) => events)
    .filter((event) => event.kind === 'metadataSet')
    .filter((event) => event.of === of && event.protocol === protocol)
  return new Map(set.map(({ subject, body }) => [subject, body]))
}

/** The off-chain anchors that pass a filter, newest first. */
export function modelAnchors(
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  { value, kind, account, chainId: only }: AnchorFilter,
): readonly StoredAnchor[] {
  const anchors: StoredAnchor[] = []
  for (const [chainId, blocks] of chains) {
    if (only !== null && only !== chainId) continue
    for (const event of blocks.flatMap(({ events }) => events)) {
      if (event.kind !== 'anchorMade') continue
      if (value !== null && (parseHash(value) ?? value) !== (parseHash(event.value) ?? event.value)) continue
      if (kind !== null && kind !== event.anchor) continue
      if (account !== null && account !== event.account) continue
      const { position, timestamp, protocol, anchor, transactionHash, reason } = event
      const place = { timestamp, chainId, position }
      anchors.push({
        place,
        protocol,
        kind: anchor,
        account: event.account,
        value: event.value,
        transactionHash,
        reason,
      })
    }
  }
  return anchors.sort(
    ({ place: a }, { place: b }) =>
      b.timestamp - a.timestamp || b.chainId - a.chainId || b.position - a.position,
  )
}

/** The event of a record. The contracts of every chain are those of `identityOf`. */
export function modelEvent(
  model: ModelIndex,
  chains: ReadonlyMap<ChainId, readonly GeneratedBlock[]>,
  key: RecordKey,
  event: ProvenEvent,
): ProvableEvent | null {
  const meant = event === 'schema' ? meantSchema(model, key) : meantAttestation(model, key)
  const isAsked = ({ record }: ModelSchema | ModelAttestation) => isRecord(record, meant)
  const found = event === 'schema' ? model.schemas.find(isAsked) : model.attestations.find(isAsked)
  if (found === undefined) return null
  const blocks = chains.get(key.chainId) ?? []
  const { protocol } = found.record
  let { position } = found.record
  if (event === 'revocation') {
    if (!('revocation' in found) || found.revocation === null) return null
    const { record } = found
    const revocation = blocks
      .flatMap(({ events }) => events)
      .find(
        (each) =>
          each.kind === 'attestationRevoked' &&
          each.protocol === protocol &&
          each.localId === key.localId &&
          each.position > position,
      )
    if (revocation === undefined || record.revocationAtRead.kind === 'made') return null
    position = revocation.position
  }
  const blockHash = blocks.find(({ number }) => number === positionBlock(position))?.hash ?? null
  const contracts = identityOf(key.chainId).contracts.filter((contract) => contract.protocol === protocol)
  return { event, key, protocol, position, blockHash, contracts: contracts.map(({ address }) => address) }
}

export function modelTotals(model: ModelIndex): ProtocolTotals[] {
  const totals = new Map<
    string,
    { chainId: number; protocol: string; schemas: number; attestations: number; revocations: number }
  >()
  const totalOf = (chainId: number, protocol: string) => {
    const key = `${chainId} ${protocol}`
    const known = totals.get(key) ?? { chainId, protocol, schemas: 0, attestations: 0, revocations: 0 }
    totals.set(key, known)
    return known
  }
  for (const { record } of model.schemas) totalOf(record.key.chainId, record.protocol).schemas += 1
  for (const { record, revocation } of model.attestations) {
    const total = totalOf(record.key.chainId, record.protocol)
    total.attestations += 1
    if (revocation !== null) total.revocations += 1
  }
  return [...totals.values()]
    .sort((a, b) => a.chainId - b.chainId || (a.protocol < b.protocol ? -1 : 1))
    .map(({ chainId, protocol, schemas, attestations, revocations }) => ({
      chainId,
      protocol,
      schemaCount: schemas,
      attestationCount: attestations,
      revocationCount: revocations,
    }))
}

export function modelProtocolDays(model: ModelIndex): ProtocolDay[] {
  const days = new Map<
    string,
    { chainId: ChainId; protocol: string; day: number; schemas: number; attestations: number }
  >()
  const count = (
    member: 'schemas' | 'attestations',
    { key, protocol }: Attestation | Schema,
    timestamp: number,
  ) => {
    const day = Math.floor(timestamp / 86_400)
    const name = `${key.chainId} ${protocol} ${day}`
    const counts = days.get(name) ?? { chainId: key.chainId, protocol, day, schemas: 0, attestations: 0 }
    counts[member] += 1
    days.set(name, counts)
  }
  for (const { record } of model.schemas) count('schemas', record, record.registerTimestamp)
  for (const { record } of model.attestations) count('attestations', record, record.attestTimestamp)
  return [...days.values()].sort(
    (a, b) =>
      a.chainId - b.chainId || (a.protocol < b.protocol ? -1 : a.protocol > b.protocol ? 1 : a.day - b.day),
  )
}
