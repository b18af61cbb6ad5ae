import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress } from '@attestry/core/model/hex.ts'
import { everyAttestation, type AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { boundsOf, listAlternatives, passesConstant } from './alternatives.ts'
import type { Condition, FieldCondition, FieldValue } from './condition.ts'
import { placeAttestations, readAttestations, sizeOf, type ReadingById } from './readByIds.ts'
import { mapBatches, type OpenedRows, type WalkRequest } from './rowSource.ts'
import { readSorted, walkArms, type ReadArm } from './walkArms.ts'

/** The reads that find the attestations which match a condition. */
export interface AttestationPlan {
  readonly filters: readonly AttestationFilter[]
  /** Ids that are looked up one by one. */
  readonly ids: ReadonlySet<LocalId>
  /** Whether every row that the filters let through matches. */
  readonly isExact: boolean
}

type FilterPart = Partial<AttestationFilter>

/** The attestations of one dialect of GraphQL, as far as plans depend on it. */
export interface AttestationDialect<Context extends PlanContext> {
  /** The id that a value of the field `id` stands for, null for none; where it is left out, ids are those of records. */
  readonly idOf?: (context: Context, value: FieldValue) => LocalId | null
  /** Makes the part of a filter of a value; null: no record has the value. Listed values are taken each in turn. */
  readonly fields: Readonly<Record<string, (context: Context, value: FieldValue) => FilterPart | null>>
  /** Values that mean that a record has none: no index lists such records. */
  readonly absent: Readonly<Record<string, FieldValue>>
  /** Fields that have the same value in every row. */
  readonly constants: Readonly<Record<string, FieldValue>>
  /** Fields that hold the time of the attestation. */
  readonly timeFields: readonly string[]
  /** Ids that other fields name; null where the tests name none. */
  readonly findIds?: (
    context: Context,
    tests: readonly FieldCondition[],
  ) => Promise<readonly LocalId[] | null>
  /** Narrows the filters of an alternative by tests of further fields. */
  readonly narrow?: (
    context: Context,
    tests: readonly FieldCondition[],
    filters: readonly AttestationFilter[],
  ) => Promise<readonly AttestationFilter[]>
}

type PlanContext = Pick<ReadingById, 'chain' | 'protocol'>

/** Most filters that the lists of one alternative are multiplied to. */
const filtersMax = 100

/** The filters and ids whose rows hold every attestation that matches. */
export async function planAttestations<Context extends PlanContext>(
  dialect: AttestationDialect<Context>,
  context: Context,
  condition: Condition,
): Promise<AttestationPlan> {
  const { constants, findIds, narrow } = dialect
  const idOf = dialect.idOf ?? ((_context, value) => localIdOf(value))
  const filters: AttestationFilter[] = []
  const ids = new Set<LocalId>()
  let isExact = true
  for (const alternative of listAlternatives(condition)) {
    const { tests } = alternative
    if (!Object.entries(constants).every(([field, value]) => passesConstant(tests, field, value))) continue
    const asked = boundsOf(tests, ['id']).values
    const found =
      asked === null ? await findIds?.(context, tests) : [...asked].map((value) => idOf(context, value))
    if (found != null) {
      for (const id of found) if (id !== null) ids.add(id)
      continue
    }
    const planned = planFilters(dialect, context, tests)
    if (planned === null) continue
    filters.push(...((await narrow?.(context, tests, planned.filters)) ?? planned.filters))
    isExact &&= alternative.isExact && tests.every(({ field }) => planned.handled.has(field))
  }
  return { filters, ids, isExact }
}

/**
 * The lists of a plan, to be walked together.
 * @param read the parts of the attestations that are needed.
 * @param needsPlaces whether rows are held against other places: that of a cursor, or those of further lists.
 */
export async function openArms(
  context: ReadingById,
  { filters, ids }: Pick<AttestationPlan, 'filters' | 'ids'>,
  read: Parameters<IndexReader['sliceAttestations']>[1],
  needsPlaces = false,
): Promise<ReadArm<StoredAttestation>[]> {
  const arms = filters.map(
    (filter): ReadArm<StoredAttestation> =>
      (order, after, limit) =>
        context.reader.sliceAttestations({ filter, order, after, limit }, read),
  )
  if (ids.size === 0) return arms
  const found = await readAttestations(context, [...ids], read)
  // Rows that are merged with others need their places, others the order among themselves.
  return [...arms, readSorted(await placeAttestations(context, found, needsPlaces || arms.length > 0))]
}

/** Begins to read attestations, each of which is held against the whole condition. */
export async function openAttestations<Row, Context extends ReadingById>(
  dialect: AttestationDialect<Context>,
  context: Context,
  { condition, order, after, expected }: WalkRequest,
  read: Parameters<IndexReader['sliceAttestations']>[1],
  rowOf: (stored: StoredAttestation) => Row,
): Promise<OpenedRows<Row>> {
  const arms = await openArms(context, await planAttestations(dialect, context, condition), read)
  return {
    read: () =>
      mapBatches(walkArms(arms, { order, after, expected }, context.budget, sizeOf), (batch) =>
        batch.map(rowOf),
      ),
  }
}

/** The filters of one alternative, and the fields whose tests they say wholly; null: no row can match. */
function planFilters<Context extends PlanContext>(
  { fields, absent, constants, timeFields }: AttestationDialect<Context>,
  context: Context,
  tests: readonly FieldCondition[],
): { readonly filters: readonly AttestationFilter[]; readonly handled: ReadonlySet<string> } | null {
  const times = boundTimes(timeFields, tests)
  if (times === null) return null
  const { chain, protocol } = context
  const handled = new Set([...Object.keys(constants), ...(times.isWhole ? timeFields : [])])
  const dimensions = Object.entries(fields).flatMap(([field, partOf]) => {
    const { values, isWhole } = boundsOf(tests, [field])
    const none = absent[field]
    if (values === null || (none !== undefined && values.has(none))) return []
    const parts = [...values].map((value) => partOf(context, value)).filter((part) => part !== null)
    return [{ field, isWhole, parts }]
  })
  const protocolName = chain.isShared ? protocol.name : null
  let filters: readonly AttestationFilter[] = [
    { ...everyAttestation, chainId: chain.chainId, protocol: protocolName, ...times.bounds },
  ]
  for (const { field, isWhole, parts } of dimensions.sort((a, b) => a.parts.length - b.parts.length)) {
    if (parts.length * filters.length > filtersMax) continue
    filters = filters.flatMap((filter) => parts.map((part) => ({ ...filter, ...part })))
    if (isWhole) handled.add(field)
  }
  return { filters, handled }
}

/** The times that the tests leave, and whether the times say all that the tests say; null: no time. */
function boundTimes(fields: readonly string[], tests: readonly FieldCondition[]) {
  const times = boundsOf(tests, fields)
  const values = times.values === null ? null : [...times.values].map(Number)
  if (values?.length === 0) return null
  const from = values === null ? times.from : Math.min(...values)
  const to = values === null ? times.to : Math.max(...values)
  if (to !== null && to < 0) return null
  const bounds = {
    attestedFrom: from === null ? null : Math.min(Math.max(0, from), timeMax),
    attestedBefore: to === null ? null : Math.min(to, timeMax) + 1,
  }
  return { bounds, isWhole: values === null ? times.isWhole : values.length === 1 }
}

/** The greatest time that can be followed by another one. */
const timeMax = Number.MAX_SAFE_INTEGER - 1

export function localIdOf(value: FieldValue): LocalId | null {
  return parseLocalId(String(value))
}

/** The part for the id of a schema. */
export function schemaPart({ chain, protocol }: PlanContext, value: FieldValue): FilterPart | null {
  const localId = localIdOf(value)
  return localId && { schema: { chainId: chain.chainId, protocol: protocol.name, localId } }
}

/** The part for an address, which is a member of the filter. */
export function addressPart(member: 'attester' | 'portal') {
  return (_context: PlanContext, value: FieldValue): FilterPart | null => {
    const address = parseAddress(String(value))
    return address && { [member]: address }
  }
}

/** The part for whether a record is revoked. */
export function revokedPart(_context: PlanContext, value: FieldValue): FilterPart {
  return { revoked: value === true }
}
