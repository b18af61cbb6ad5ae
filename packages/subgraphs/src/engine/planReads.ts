import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, type Address } from '@attestry/core/model/hex.ts'
import {
  everyAttestation,
  type AttestationFilter,
  type Slice,
  type SliceRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { IndexReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { boundsOf, listAlternatives } from './alternatives.ts'
import {
  allOf,
  everything,
  isEverything,
  type Condition,
  type FieldCondition,
  type FieldValue,
} from './condition.ts'
import { passes } from './matchCondition.ts'
import {
  keyOf,
  placeAttestations,
  readAttestations,
  sizeOf,
  type OfProtocol,
  type ReadingById,
} from './readByIds.ts'
import { mapBatches, type OpenedRows, type PlacedRow, type WalkRequest } from './rowSource.ts'
import { readSorted, walkArms, type ReadArm } from './walkArms.ts'

/** The reads that find the rows which match a condition. */
export interface ReadPlan<Filter, Id = LocalId> {
  /** Filters of the index; rows may pass several. */
  readonly filters: readonly Filter[]
  /** Ids that are looked up one by one. */
  readonly ids: ReadonlySet<Id>
  /** The part of the condition that is still tested on rows that pass a filter or have one of the ids. */
  readonly rest: Condition
}

/** The fields of an entity of a dialect as members of a filter of the index. */
export interface ReadRules<Context, Filter extends object, Id = LocalId> {
  /** The filter of all rows. */
  readonly every: (context: Context) => Filter
  /** The id that a value of the field `id` stands for, null for none. If it is left out, no ids are looked up. */
  readonly idOf?: (context: Context, value: FieldValue) => Id | null
  /** Makes the part of a filter of a value; null: no row has the value. Listed values are taken each in turn. */
  readonly fields: Readonly<Record<string, (context: Context, value: FieldValue) => Partial<Filter> | null>>
  /** Fields whose filters may let further rows through. */
  readonly loose?: readonly string[]
  /** Values that mean that a record has none: no index lists such records. */
  readonly absent?: Readonly<Record<string, FieldValue>>
  /** Fields that have the same value in every row. */
  readonly constants?: Readonly<Record<string, FieldValue>>
  readonly times?: readonly TimeRule<Filter>[]
  /** Ids that other fields name; null if the tests name none. */
  readonly findIds?: (context: Context, tests: readonly FieldCondition[]) => Promise<readonly Id[] | null>
  /** Narrows the filters of one way to match by tests of further fields. */
  readonly narrow?: (
    context: Context,
    tests: readonly FieldCondition[],
    filters: readonly Filter[],
  ) => Promise<readonly Filter[]> | readonly Filter[]
}

/** Fields that hold one time, in Unix seconds, and the members of the filter that bound it. */
export interface TimeRule<Filter> {
  readonly fields: readonly string[]
  /** Inclusive. */
  readonly from: keyof Filter
  /** Exclusive. */
  readonly before: keyof Filter
  /** The value of rows without the time, which pass no bound; left out: every row has it. */
  readonly none?: FieldValue
  /** The value of this time and all later ones. */
  readonly latest?: number
}

/** Most filters that the lists of one way to match are multiplied to. */
const filtersMax = 100

/** Plans how the rows are read that match a condition whose relations are resolved. */
export async function planReads<Context, Filter extends object, Id = LocalId>(
  rules: ReadRules<Context, Filter, Id>,
  context: Context,
  condition: Condition,
): Promise<ReadPlan<Filter, Id>> {
  const { idOf, findIds, narrow, constants = {} } = rules
  const filters = new Map<string, Filter>()
  const ids = new Set<Id>()
  let isExact = true
  let handled: ReadonlySet<string> | null = null
  for (const alternative of listAlternatives(condition)) {
    const { tests } = alternative
    if (!Object.entries(constants).every(([field, value]) => passesAll(tests, field, value))) continue
    const asked = idOf === undefined ? null : boundsOf(tests, ['id']).values
    const found =
      asked === null
        ? await findIds?.(context, tests)
        : Array.from(asked, (value) => idOf?.(context, value) ?? null)
    if (found != null) {
      for (const id of found) if (id !== null) ids.add(id)
      continue
    }
    const planned = planFilters(rules, context, tests)
    if (planned === null) continue
    for (const filter of (await narrow?.(context, tests, planned.filters)) ?? planned.filters)
      filters.set(JSON.stringify(filter), filter)
    isExact &&= alternative.isExact && tests.every(({ field }) => planned.handled.has(field))
    handled = handled === null ? planned.handled : handled.intersection(planned.handled)
  }
  return {
    filters: [...filters.values()],
    ids,
    rest: ids.size > 0 ? condition : isExact ? everything : restOf(condition, handled ?? new Set()),
  }
}

/** The parts of a condition that filters do not say which say all tests on the handled fields. */
function restOf(condition: Condition, handled: ReadonlySet<string>): Condition {
  if (condition.kind === 'field' && handled.has(condition.field)) return everything
  if (condition.kind !== 'all') return condition
  return allOf(...condition.of.map((part) => restOf(part, handled)).filter((part) => !isEverything(part)))
}

/** Whether a value of a field passes all tests on it. */
function passesAll(tests: readonly FieldCondition[], field: string, value: FieldValue): boolean {
  return tests.every((each) => each.field !== field || passes(value, each.test))
}

/** The filters of one way to match, and the fields whose tests they say wholly; null: no row can match. */
function planFilters<Context, Filter extends object, Id>(
  { every, fields, loose = [], absent = {}, constants = {}, times = [] }: ReadRules<Context, Filter, Id>,
  context: Context,
  tests: readonly FieldCondition[],
): { readonly filters: readonly Filter[]; readonly handled: ReadonlySet<string> } | null {
  const handled = new Set(Object.keys(constants))
  let filters: readonly Filter[] = [every(context)]
  for (const rule of times) {
    const bounds = boundTime(rule, tests)
    if (bounds === null) return null
    filters = filters.map((filter) => ({ ...filter, ...bounds.part }))
    if (bounds.isWhole) for (const field of rule.fields) handled.add(field)
  }
  const dimensions = Object.entries(fields).flatMap(([field, partOf]) => {
    const { values, isWhole } = boundsOf(tests, [field])
    const none = absent[field]
    if (values === null || (none !== undefined && values.has(none))) return []
    const parts = [...values].map((value) => partOf(context, value)).filter((part) => part !== null)
    return [{ field, isWhole: isWhole && !loose.includes(field), parts }]
  })
  for (const { field, isWhole, parts } of dimensions.sort((a, b) => a.parts.length - b.parts.length)) {
    if (parts.length * filters.length > filtersMax) continue
    filters = filters.flatMap((filter) => parts.map((part) => ({ ...filter, ...part })))
    if (isWhole) handled.add(field)
  }
  return { filters, handled }
}

/** The bounds that tests leave of a time, and whether they say all that the tests say; null: no time. */
function boundTime<Filter>(
  { fields, from: first, before, none, latest = Infinity }: TimeRule<Filter>,
  tests: readonly FieldCondition[],
): { readonly part: Partial<Filter>; readonly isWhole: boolean } | null {
  if (none !== undefined && fields.every((field) => passesAll(tests, field, none)))
    return { part: {}, isWhole: tests.every(({ field }) => !fields.includes(field)) }
  const times = boundsOf(tests, fields)
  const values = times.values === null ? null : [...times.values].map(Number)
  if (values?.length === 0) return null
  const from = values === null ? times.from : Math.min(...values)
  const to = values === null ? times.to : Math.max(...values)
  if ((to !== null && to < 0) || (from !== null && from > latest)) return null
  const bounds = {
    ...(from === null ? {} : { [first]: Math.min(Math.max(0, from), timeMax) }),
    ...(to === null || to >= latest ? {} : { [before]: Math.min(to, timeMax) + 1 }),
  }
  const isBounded = none === undefined || Object.keys(bounds).length > 0
  return {
    // The members are those of the rule.
    part: bounds as Partial<Filter>,
    isWhole: isBounded && (values === null ? times.isWhole : values.length === 1),
  }
}

/** The greatest time that can be followed by another one. */
const timeMax = Number.MAX_SAFE_INTEGER - 1

/**
 * The lists of a plan, to be walked together.
 * @param find reads rows by their ids.
 */
export async function openArms<Row, Filter, Id = LocalId>(
  { filters, ids }: ReadPlan<Filter, Id>,
  slice: (request: SliceRequest<Filter>) => Promise<Slice<Row>>,
  find: (ids: readonly Id[]) => Promise<readonly (Row & PlacedRow)[]>,
): Promise<ReadArm<Row>[]> {
  const arms = filters.map(
    (filter): ReadArm<Row> =>
      (order, after, limit) =>
        slice({ filter, order, after, limit }),
  )
  const found = ids.size === 0 ? [] : await find([...ids])
  return found.length === 0 ? arms : [...arms, readSorted(found)]
}

type AttestationParts = Parameters<IndexReader['sliceAttestations']>[1]

/**
 * The lists of attestations of a plan.
 * @param read the parts of the attestations that are needed.
 * @param needsPlaces whether rows are held against other places: that of a cursor, or those of further lists.
 */
export async function openAttestationArms(
  context: ReadingById,
  plan: ReadPlan<AttestationFilter>,
  read: AttestationParts,
  needsPlaces = false,
): Promise<ReadArm<StoredAttestation>[]> {
  return await openArms(
    plan,
    (request) => context.reader.sliceAttestations(request, read),
    async (ids) => {
      const found = await readAttestations(context, ids, read)
      // Rows that are merged with others need their places, others the order among themselves.
      return await placeAttestations(context, found, needsPlaces || plan.filters.length > 0)
    },
  )
}

/** Begins to read attestations. */
export async function openAttestations<Row, Context extends ReadingById>(
  rules: ReadRules<Context, AttestationFilter>,
  context: Context,
  { condition, order, after, expected }: WalkRequest,
  read: AttestationParts,
  rowOf: (stored: StoredAttestation) => Row,
): Promise<OpenedRows<Row>> {
  const plan = await planReads(rules, context, condition)
  const arms = await openAttestationArms(context, plan, read)
  return {
    rest: plan.rest,
    read: () =>
      mapBatches(walkArms(arms, { order, after, expected }, context.budget, sizeOf), (batch) =>
        batch.map(rowOf),
      ),
  }
}

/** The members of filters by chain and protocol. */
export function ofChain({ chain, protocol }: OfProtocol) {
  return { chainId: chain.chainId, protocol: chain.isShared ? protocol.name : null }
}

/** The rules of the attestations of a protocol: their ids, and that they are of one chain. */
export const attestationRules = {
  every: (context: OfProtocol): AttestationFilter => ({ ...everyAttestation, ...ofChain(context) }),
  idOf: (_context: object, value: FieldValue) => localIdOf(value),
}

export function localIdOf(value: FieldValue): LocalId | null {
  return parseLocalId(String(value))
}

/** The part for the id of a schema. */
export function schemaPart(context: OfProtocol, value: FieldValue): Partial<AttestationFilter> | null {
  const localId = localIdOf(value)
  return localId && { schema: keyOf(context, localId) }
}

/** The part for an address, which is a member of the filter. */
export function addressPart<Member extends string>(member: Member) {
  return (_context: object, value: FieldValue): { readonly [Name in Member]: Address } | null => {
    const address = parseAddress(String(value))
    // The object has the one member.
    return address && ({ [member]: address } as { readonly [Name in Member]: Address })
  }
}

/** The part for a flag, which is a member of the filter. */
export function flagPart<Member extends string>(member: Member) {
  return (_context: object, value: FieldValue) =>
    // The object has the one member.
    ({ [member]: value === true }) as { readonly [Name in Member]: boolean }
}
