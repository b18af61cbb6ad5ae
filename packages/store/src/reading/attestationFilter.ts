import { looksDefault } from './moreLooks.ts'
import type { ChainId, RecordKey } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import { valueMatchKey } from '@attestry/core/model/keyword.ts'
import type { AttestationFilter, Holding, ValidAt } from '@attestry/core/index/indexQueries.ts'
import type { StoredKey } from '@attestry/core/index/storedRecords.ts'
import { fieldState } from '../layout/fieldState.ts'
import { hexBytes } from '../layout/hexColumn.ts'
import { valueKey } from '../layout/valueKey.ts'
import type { Reads } from '../port/reads.ts'
import { findAddress, type AddressRow } from './addressLists.ts'
import { cutColumns, cutOf, cutOfKey, placeOfCut, type Cut, type CutChain, type CutPlace } from './cut.ts'
import { findUnindexed, resolveField, withoutLists, type ResolvedField } from './fieldLists.ts'
import { firstByProtocol, isRecord, recordKeys } from './recordKeys.ts'
import type { StatementSession } from './session.ts'
import { findSchemaRow, type SchemaIdentity } from './storedSchema.ts'

/** The members of a filter that rows are compared with as they are. */
type KeptMember = 'revoked' | 'revokedFrom' | 'revokedBefore' | 'expired' | 'validAt' | 'dataLocation'

/** A filter in the terms of the database: ids are found, what contradicts itself is gone, times are one range. */
export interface ResolvedFilter extends Pick<AttestationFilter, KeptMember> {
  readonly schema: Omit<SchemaIdentity, 'attesterCount' | 'position'> | null
  readonly attester: AddressRow | null
  readonly recipient:
    | { readonly kind: 'address'; readonly address: AddressRow }
    | { readonly kind: 'value'; readonly key: Uint8Array; readonly under: AddressRow | null }
    | { readonly kind: 'empty' }
    | null
  /** The chain of all rows, whichever member says so. */
  readonly chainId: ChainId | null
  /** Null if the schema says it. */
  readonly protocol: string | null
  readonly from: number | null
  readonly before: number | null
  readonly linkedAttestations: readonly StoredKey[] | null
  readonly recipientHolds: ResolvedHolding | null
  readonly attesterHolds: ResolvedHolding | null
  readonly indexingValue: IndexingValue | null
  readonly portal: Uint8Array | null
  readonly fields: readonly ResolvedField[]
  /** Schemas whose attestations do not count, by row id. */
  readonly exceptSchemas: readonly number[]
  /** The end of the past state that is filtered; `before` and `chainId` are within it. Null in the newest state. */
  readonly cut: FilterCut | null
}

/** The attestation that an account has to hold, in the terms of the database. */
export interface ResolvedHolding {
  readonly schemaId: number
  readonly attesterId: number | null
  /** 1 if anybody may have attested. */
  readonly hops: 1 | 2
  readonly valid: ValidAt
  /** The end of the attestations of the schema's chain; null: they are read in the newest state. */
  readonly cut: CutChain | null
  /** Attestations that are looked at for one account in each of its two lists. */
  readonly looksMax: number
}

/** The part of a session that filters need. */
type CutSession = Pick<StatementSession, 'connection' | 'cut'>

/** The end of the attestations that a filter passes. */
export interface FilterCut extends Cut {
  readonly place: CutPlace
}

export type IndexingValue =
  | { readonly kind: 'text'; readonly key: Uint8Array }
  /** Attestations that involve the address are not found by the value; `row` is null if none does. */
  | {
      readonly kind: 'address'
      readonly key: Uint8Array
      readonly address: Address
      readonly row: AddressRow | null
    }
  | { readonly kind: 'empty' }

/** A filter and what it is in the terms of the database. */
export interface FilterPart {
  readonly filter: AttestationFilter
  readonly resolved: ResolvedFilter
}

/**
 * The disjoint parts of a filter, which are read one by one; empty if no attestation can pass it. A filter by fields
 * of all schemas has a part for those whose fields are indexed, and one for each other schema: the payloads of that one
 * are looked at. Every other filter is one part.
 */
export async function resolveParts(
  session: CutSession,
  asked: AttestationFilter,
): Promise<readonly FilterPart[]> {
  const { connection: reads, cut } = session
  const past = cut && { ...cut, place: await placeOfCut(reads, cut, 'attestation') }
  const filter = past === null ? asked : upToCut(asked, past)
  if (filter === null) return []
  const { schema, fields, chainId } = filter
  const isOfAny = schema === null && fields.length > 0
  const unindexed = isOfAny ? await findUnindexed(reads, fields, chainId) : []
  const exceptSchemas = (unindexed ?? []).map(({ id }) => id)
  const parts = [filter, ...(unindexed ?? []).map(({ key }) => ({ ...filter, schema: key }))]
  const resolved = await Promise.all(
    parts.map((part, index) =>
      resolveFilter(session, part, past, {
        isIndexed: unindexed !== null,
        exceptSchemas: index === 0 ? exceptSchemas : [],
      }),
    ),
  )
  return parts.flatMap((part, index) => {
    const known = resolved[index] ?? null
    return known === null ? [] : [{ filter: part, resolved: known }]
  })
}

/** The filter of what counts; null if nothing can pass. */
function upToCut(filter: AttestationFilter, { chainId, place }: FilterCut): AttestationFilter | null {
  if (chainId !== null && filter.chainId !== null && filter.chainId !== chainId) return null
  const attestedBefore = Math.min(filter.attestedBefore ?? Infinity, place.before)
  return { ...filter, chainId: chainId ?? filter.chainId, attestedBefore }
}

interface SchemasOfFilter {
  /** Whether the index of fields answers for all schemas of a filter without a schema. */
  readonly isIndexed: boolean
  readonly exceptSchemas: readonly number[]
}

/** The filter resolved; null if no attestation can pass it. */
async function resolveFilter(
  session: CutSession,
  filter: AttestationFilter,
  cut: FilterCut | null,
  { isIndexed, exceptSchemas }: SchemasOfFilter,
): Promise<ResolvedFilter | null> {
  const { connection: reads } = session
  const chainIds = new Set<ChainId>()
  if (filter.schema !== null) chainIds.add(filter.schema.chainId)
  if (filter.chainId !== null) chainIds.add(filter.chainId)
  if (chainIds.size > 1) return null
  // An attestation refers to attestations of its own chain.
  const linkedKeys =
    filter.linkedAttestations?.filter((key) => chainIds.size === 0 || chainIds.has(key.chainId)) ?? null
  if (linkedKeys?.length === 0) return null
  const [linked, ...further] = new Set(linkedKeys?.map((key) => key.chainId))
  if (linked !== undefined && further.length === 0) chainIds.add(linked)
  const hasRevocationTime = filter.revokedFrom !== null || filter.revokedBefore !== null
  if (hasRevocationTime && filter.revoked === false) return null
  if (!isStorable(filter.protocol) || !isStorable(filter.dataLocation)) return null
  const linkedAttestations = linkedKeys && (await resolveLinked(session, linkedKeys, filter.protocol))
  if (linkedAttestations?.length === 0) return null
  const { schema, attester, recipient, indexingValue } = await lookUpMembers(session, filter)
  if (filter.schema !== null && schema === null) return null
  if (schema !== null && filter.protocol !== null && schema.protocol !== filter.protocol) return null
  if (filter.attester !== null && attester === null) return null
  if (filter.recipient !== null && recipient === null) return null
  const protocol = filter.schema?.protocol ?? filter.protocol
  const recipientHolds =
    filter.recipientHolds && (await resolveHolding(session, filter.recipientHolds, protocol))
  if (filter.recipientHolds !== null && recipientHolds === null) return null
  const attesterHolds =
    filter.attesterHolds && (await resolveHolding(session, filter.attesterHolds, protocol))
  if (filter.attesterHolds !== null && attesterHolds === null) return null
  const chainId = [...chainIds][0] ?? null
  // Without its schema a payload says nothing.
  if (filter.fields.length > 0 && schema?.isRegistered === false) return null
  const hasLists = schema === null ? isIndexed : schema.fieldState === fieldState.complete
  const fields = hasLists
    ? await Promise.all(filter.fields.map((each) => resolveField(reads, each, schema?.id ?? null, chainId)))
    : filter.fields.map(withoutLists)
  if (fields.some(({ lists }) => lists?.length === 0)) return null
  // Valid then means made by then; the rest of it is up to the rows.
  const before = Math.min(
    filter.attestedBefore ?? Infinity,
    filter.validAt === null ? Infinity : filter.validAt + 1,
  )
  const { attestedFrom: from, attestedBefore: _before, ...others } = filter
  return {
    ...others,
    schema,
    attester,
    recipient,
    chainId,
    protocol: schema === null ? filter.protocol : null,
    revoked: hasRevocationTime ? true : filter.revoked,
    from,
    before: before === Infinity ? null : before,
    linkedAttestations,
    recipientHolds,
    attesterHolds,
    indexingValue,
    portal: filter.portal === null ? null : hexBytes(filter.portal),
    fields,
    exceptSchemas,
    cut,
  }
}

type LookedUp = Pick<ResolvedFilter, 'attester' | 'recipient' | 'indexingValue'> & {
  readonly schema: SchemaIdentity | null
}

/** The members that rows of the index stand for, looked up in one round trip to a server. */
async function lookUpMembers(session: CutSession, filter: AttestationFilter): Promise<LookedUp> {
  const { connection: reads } = session
  const [schema, attester, recipient, indexingValue] = await Promise.all([
    filter.schema === null ? null : findSchemaRow(session, ofProtocol(filter.schema, filter.protocol)),
    filter.attester === null ? null : findAddress(reads, filter.attester),
    filter.recipient === null ? null : resolveRecipient(reads, filter.recipient),
    filter.indexingValue === null ? null : resolveIndexingValue(reads, filter.indexingValue),
  ])
  return { schema, attester, recipient, indexingValue }
}

/** The key of a filter by a protocol: an id that several protocols have means the record of that protocol. */
function ofProtocol(key: RecordKey, protocol: string | null): RecordKey {
  return { ...key, protocol: key.protocol ?? protocol }
}

/** The attestations that keys mean. If one is not indexed, attestations that refer to it give its protocol. */
async function resolveLinked(
  { connection: reads, cut }: CutSession,
  keys: readonly RecordKey[],
  protocol: string | null,
): Promise<StoredKey[]> {
  const asked = keys.map((key) => ofProtocol(key, protocol))
  const open = asked.filter((key) => !hasProtocol(key))
  const indexed = await findProtocols(reads, cut, open, isRecord(reads.dialect, 'a', 'k'))
  const isReferred = 'a.chain_id = k.chain_id AND a.linked_local_id = k.local_id'
  const referred = await findProtocols(
    reads,
    cut,
    open.filter((_, index) => indexed[index] === null),
    `${isReferred} AND a.protocol = coalesce(k.protocol, a.protocol)`,
  )
  return [...asked, ...indexed, ...referred].filter(hasProtocol)
}

function hasProtocol(key: RecordKey | null): key is StoredKey {
  return typeof key?.protocol === 'string'
}

/** Each key with the protocol of the first attestation `a` that the condition finds; null if it finds none. */
async function findProtocols(
  reads: Reads,
  cut: Cut | null,
  keys: readonly RecordKey[],
  condition: string,
): Promise<(StoredKey | null)[]> {
  const found = await reads.firstOf<[string]>(
    `SELECT a.protocol FROM attestation a WHERE ${condition}${cut === null ? '' : ` AND a.id <= ${cutOfKey.upTo}`}` +
      firstByProtocol('a'),
    {
      ...recordKeys(keys),
      ...(cut === null ? {} : cutColumns(cut, keys, 'nameTime')),
    },
  )
  return keys.map((key, index) => {
    const [protocol] = found[index] ?? []
    return protocol === undefined ? null : { ...key, protocol }
  })
}

/** Null if nobody can hold it. A schema of the filter's protocol goes before those of others. */
async function resolveHolding(
  session: CutSession,
  holding: Holding,
  protocol: string | null,
): Promise<ResolvedHolding | null> {
  const { connection: reads, cut } = session
  const { valid, looksMax = looksDefault } = holding
  const hops = holding.attester === null ? 1 : (holding.hops ?? 1)
  const chain = cut && cutOf(cut, holding.schema.chainId)
  if (cut !== null && chain === null) return null
  const schema =
    (await findSchemaRow(session, ofProtocol(holding.schema, protocol))) ??
    (protocol === null ? null : await findSchemaRow(session, holding.schema))
  const attester = holding.attester && (await findAddress(reads, holding.attester))
  if (schema === null || (holding.attester !== null && attester === null)) return null
  return { schemaId: schema.id, attesterId: attester?.id ?? null, hops, valid, cut: chain, looksMax }
}

/** PostgreSQL refuses a NUL in any text; no row has one in these columns. */
export function isStorable(text: string | null): boolean {
  return text === null || !text.includes('\0')
}

async function resolveRecipient(
  reads: Reads,
  recipient: NonNullable<AttestationFilter['recipient']>,
): Promise<ResolvedFilter['recipient']> {
  const address = recipient.kind === 'address' ? recipient.address : parseAddress(recipient.value)
  if (address !== null) {
    const row = await findAddress(reads, address)
    return row === null ? null : { kind: 'address', address: row }
  }
  if (recipient.kind === 'address' || recipient.value === '') return { kind: 'empty' }
  const under = recipient.under === undefined ? null : await findAddress(reads, recipient.under)
  return { kind: 'value', key: valueKey(recipient.value), under }
}

async function resolveIndexingValue(reads: Reads, value: string): Promise<IndexingValue> {
  if (value === '') return { kind: 'empty' }
  const key = valueKey(value)
  const address = parseAddress(valueMatchKey(value))
  return address === null
    ? { kind: 'text', key }
    : { kind: 'address', key, address, row: await findAddress(reads, address) }
}
