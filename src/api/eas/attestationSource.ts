import { parseLocalId, type LocalId } from '../../model/compositeId.ts'
import { parseAddress, parseHash, zeroAddress, zeroHash } from '../../model/hex.ts'
import { type AttestationFilter, everyAttestation } from '../../store/indexQueries.ts'
import type { StoredAttestation } from '../../store/indexReader.ts'
import { boundsOf, listAlternatives, passesConstant, type Alternative } from './alternatives.ts'
import {
  attestationFields,
  attestationValue,
  needsSchema,
  schemaIdOfRow,
  timeOfRow,
  type AttestationRow,
} from './attestationRows.ts'
import type { Condition, FieldCondition } from './condition.ts'
import { createMatcher, fieldsOf } from './matchCondition.ts'
import { countGroups } from './countedGroups.ts'
import { countUnion } from './countUnion.ts'
import { findPosition, keysMax, type EasContext } from './easContext.ts'
import { listNeedleConditions } from './needleConditions.ts'
import { findPrintingSchemas } from './printingSchemas.ts'
import type { RowSource } from './rowSource.ts'
import { readSorted, walkArms, type ReadArm } from './walkArms.ts'

/** How the attestations that match a condition are found. */
interface AttestationPlan {
  readonly filters: readonly AttestationFilter[]
  /** Ids that are looked up one by one. */
  readonly ids: ReadonlySet<LocalId>
  /** Whether every row that the filters let through matches. */
  readonly isExact: boolean
}

/** Most filters that the lists of one alternative are multiplied to. */
const filtersMax = 100

export const attestationSource: RowSource<AttestationRow> = {
  model: 'Attestation',
  walkedFields: ['time', 'timeCreated'],
  furtherOrders: ['id', 'schema', 'creator', 'resolver', 'revocable', 'txid', 'time'].map(
    (field) => `schema.${field}`,
  ),
  valueOf: attestationValue,

  async *walk(context, { condition, order, after, fields, expected }) {
    const plan = await planAttestations(context, condition)
    const needed = new Set([...fields, ...(plan.isExact && plan.ids.size === 0 ? [] : fieldsOf(condition))])
    const read = attestationFields(needed)
    const { queries } = context
    const arms = plan.filters.map(
      (filter): ReadArm<StoredAttestation> =>
        (walked, from, limit) =>
          queries.sliceAttestations({ filter, order: walked, after: from, limit }, read),
    )
    if (plan.ids.size > 0) arms.push(await readByIds(context, [...plan.ids], needed, arms.length > 0))
    const isMatch = createMatcher(
      condition,
      (row: AttestationRow, field) => attestationValue(context, row, field),
      context.budget.compare,
    )
    const batches = walkArms(arms, { order, after, expected }, context.budget, sizeOf)
    for await (const batch of batches) {
      const rows = batch.map((stored): AttestationRow => ({ stored, place: stored.place }))
      if (needsSchema(needed)) await attachSchemas(context, rows)
      yield plan.isExact && plan.ids.size === 0 ? rows : rows.filter(isMatch)
    }
  },

  async find(context, id, fields) {
    const localId = parseLocalId(id)
    if (localId === null) return null
    const [row] = await findRows(context, [localId], new Set([...fields, 'txid']), true)
    return row ?? null
  },

  async count(context, condition) {
    const { filters, ids, isExact } = await planAttestations(context, condition)
    if (!isExact || ids.size > 0) return null
    return await countUnion(filters, intersect, (filter) =>
      context.countRows(() => context.queries.countAttestations(filter)),
    )
  },

  async countGroups(context, condition, field, wanted) {
    const { filters, ids, isExact } = await planAttestations(context, condition)
    const [filter, ...others] = filters
    if (!isExact || ids.size > 0 || others.length > 0) return null
    return filter === undefined ? [] : await countGroups(context, filter, field, wanted)
  },
}

/** Most transactions that a condition names and that are looked up. */
const transactionsMax = 100

/** The attestations that transactions made; null where the tests name none, or too many. */
async function findByTransactions(
  { queries, chain }: EasContext,
  tests: readonly FieldCondition[],
): Promise<readonly LocalId[] | null> {
  const { values } = boundsOf(tests, ['txid'])
  if (values === null || values.size > transactionsMax) return null
  const hashes = [...values].map((value) => parseHash(String(value))).filter((hash) => hash !== null)
  const found = await Promise.all(hashes.map((hash) => queries.findTransaction(hash, chain.chainId)))
  return found.flatMap((transaction) => transaction?.attestations.map(({ key }) => key.localId) ?? [])
}

function sizeOf({ summaryJson, detailJson }: StoredAttestation): number {
  return summaryJson.length + detailJson.length
}

async function attachSchemas({ schemas }: EasContext, rows: readonly AttestationRow[]): Promise<void> {
  await Promise.all(
    rows.map(async (row) => {
      row.schema = await schemas.load(schemaIdOfRow(row))
    }),
  )
}

/** Attestations by their ids, with their places; unknown ids and records of other protocols are left out. */
async function findRows(
  context: EasContext,
  ids: readonly LocalId[],
  fields: ReadonlySet<string>,
  needsPositions: boolean,
): Promise<AttestationRow[]> {
  const { queries, chain, budget, protocol } = context
  const read = attestationFields(fields)
  const found: StoredAttestation[] = []
  for (let start = 0; start < ids.length; start += keysMax) {
    const keys = ids
      .slice(start, start + keysMax)
      .map((localId) => ({ chainId: chain.chainId, protocol: protocol.name, localId }))
    const known = (await queries.findAttestations(keys, read)).filter((row) => row !== null)
    await budget.readRows(
      known.length,
      known.reduce((sum, row) => sum + sizeOf(row), 0),
    )
    found.push(...known)
  }
  const times = found.map((stored) => timeOfRow({ stored }))
  const isTied = (time: number) => times.indexOf(time) !== times.lastIndexOf(time)
  const rows = await Promise.all(
    found.map(async (stored, index): Promise<AttestationRow> => {
      const timestamp = times[index] ?? 0
      // The position costs a read of its own. It orders rows of one time.
      const needed = needsPositions || isTied(timestamp)
      const position = needed ? await findPosition(context, stored.key, 'attestation') : 0
      return { stored, place: { timestamp, chainId: stored.key.chainId, position } }
    }),
  )
  if (needsSchema(fields)) await attachSchemas(context, rows)
  return rows
}

async function readByIds(
  context: EasContext,
  ids: readonly LocalId[],
  fields: ReadonlySet<string>,
  needsPositions: boolean,
): Promise<ReadArm<StoredAttestation>> {
  const found = await findRows(context, ids, fields, needsPositions)
  return readSorted(found.map(({ stored, place }) => ({ ...stored, place })))
}

/** The filters and ids whose rows hold every attestation that matches. */
async function planAttestations(context: EasContext, condition: Condition): Promise<AttestationPlan> {
  const filters: AttestationFilter[] = []
  const ids = new Set<LocalId>()
  let isExact = true
  for (const alternative of listAlternatives(condition)) {
    const { tests } = alternative
    if (!passesConstant(tests, 'isOffchain', false) || !passesConstant(tests, 'ipfsHash', '')) continue
    const asked = boundsOf(tests, ['id']).values
    if (asked !== null) {
      for (const id of asked) addParsed(ids, parseLocalId(String(id)))
      continue
    }
    const made = await findByTransactions(context, tests)
    if (made !== null) {
      for (const id of made) ids.add(id)
      continue
    }
    const planned = planFilters(context, alternative)
    for (const filter of await underSchemas(context, tests, planned.filters)) {
      const hasNeedle = filter.schema !== null && tests.some(({ field }) => field === 'decodedDataJson')
      const schema = hasNeedle ? await context.schemas.load(filter.schema.localId) : null
      const fields = listNeedleConditions(tests, schema, context.protocol)
      filters.push({ ...filter, fields })
      if (fields.length === 0) continue
      const { lenientField } = context.protocol
      filters.push({ ...filter, fields: [{ path: [lenientField], operator: 'equals', values: ['true'] }] })
    }
    isExact &&= planned.isExact
  }
  return { filters, ids, isExact }
}

/** The filters under the schemas that can print a text, where the tests ask for the whole text and for no schema. */
async function underSchemas(
  context: EasContext,
  tests: readonly FieldCondition[],
  filters: readonly AttestationFilter[],
): Promise<readonly AttestationFilter[]> {
  const [only, ...others] = filters
  if (only === undefined || others.length > 0 || only.schema !== null) return filters
  const schemas = await findPrintingSchemas(context, tests)
  const { chainId } = context.chain
  return schemas?.map((localId) => ({ ...only, schema: { chainId, localId } })) ?? filters
}

function addParsed<Value>(values: Set<Value>, value: Value | null): void {
  if (value !== null) values.add(value)
}

/** A member of the filter that a list of values can fix, each value in turn. */
interface Dimension {
  readonly field: string
  readonly parts: readonly Partial<AttestationFilter>[]
}

function planFilters(
  { chain, protocol }: EasContext,
  { tests, isExact }: Alternative,
): Pick<AttestationPlan, 'filters' | 'isExact'> {
  const { chainId } = chain
  const ofChain = { chainId, protocol: protocol.name }
  const handled = new Set(['isOffchain', 'ipfsHash'])
  const dimensions = [
    dimensionOf(tests, 'schemaId', (text) =>
      withKey(parseLocalId(text), (localId) => ({ schema: { ...ofChain, localId } })),
    ),
    dimensionOf(tests, 'attester', (text) => withKey(parseAddress(text), (attester) => ({ attester }))),
    dimensionOf(tests, 'recipient', (text) =>
      withKey(parseAddress(text), (address) => ({ recipient: { kind: 'address', address } as const })),
    ),
    dimensionOf(tests, 'refUID', (text) =>
      withKey(parseLocalId(text), (localId) => ({ linkedAttestations: [{ ...ofChain, localId }] })),
    ),
    dimensionOf(tests, 'revoked', (_text, revoked) => ({ revoked: revoked === true })),
  ].filter((dimension) => dimension !== null)
  const times = boundsOf(tests, ['time', 'timeCreated'])
  let from = times.from
  let to = times.to
  if (times.isWhole && times.values === null) {
    handled.add('time').add('timeCreated')
  } else if (times.values !== null) {
    const values = [...times.values].map(Number)
    if (values.length === 0) return { filters: [], isExact: true }
    from = Math.min(...values)
    to = Math.max(...values)
    if (values.length === 1) handled.add('time').add('timeCreated')
  }
  if (to !== null && to < 0) return { filters: [], isExact: true }
  const base: AttestationFilter = {
    ...everyAttestation,
    chainId,
    protocol: chain.isShared ? protocol.name : null,
    attestedFrom: from === null ? null : Math.max(0, from),
    attestedBefore: to === null ? null : to + 1,
  }
  let filters: readonly AttestationFilter[] = [base]
  for (const { field, parts } of dimensions.sort((a, b) => a.parts.length - b.parts.length)) {
    if (parts.length * filters.length > filtersMax) continue
    filters = filters.flatMap((filter) => parts.map((part) => ({ ...filter, ...part })))
    if (boundsOf(tests, [field]).isWhole) handled.add(field)
  }
  return { filters, isExact: isExact && tests.every(({ field }) => handled.has(field)) }
}

/**
 * Values that no record can have narrow to nothing; null where the tests do not list values, or list the value of
 * absence.
 */
function dimensionOf(
  tests: readonly FieldCondition[],
  field: string,
  partOf: (text: string, value: unknown) => Partial<AttestationFilter> | null,
): Dimension | null {
  const { values } = boundsOf(tests, [field])
  // No recipient and no reference are shown as zeros, and no index lists records without one.
  const absent = field === 'recipient' ? zeroAddress : field === 'refUID' ? zeroHash : null
  if (values === null || (absent !== null && values.has(absent))) return null
  const parts = [...values].map((value) => partOf(String(value), value)).filter((part) => part !== null)
  return { field, parts }
}

function withKey<Key, Part>(key: Key | null, partOf: (key: Key) => Part): Part | null {
  return key === null ? null : partOf(key)
}

/** The filter of the rows that pass both; null where none can. */
function intersect(a: AttestationFilter, b: AttestationFilter): AttestationFilter | null {
  const merged: Record<string, unknown> = { ...a }
  for (const [name, value] of Object.entries(b)) {
    if (name === 'attestedFrom') merged[name] = combineBounds(Math.max, a.attestedFrom, b.attestedFrom)
    else if (name === 'attestedBefore')
      merged[name] = combineBounds(Math.min, a.attestedBefore, b.attestedBefore)
    else if (merged[name] === null) merged[name] = value
    else if (value !== null && JSON.stringify(value) !== JSON.stringify(merged[name])) return null
  }
  // Every member is one of `a` or `b`.
  return merged as unknown as AttestationFilter
}

function combineBounds(
  choose: (...bounds: number[]) => number,
  a: number | null,
  b: number | null,
): number | null {
  return a === null || b === null ? (a ?? b) : choose(a, b)
}
