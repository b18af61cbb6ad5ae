import { parseLocalId, type LocalId } from '../../model/compositeId.ts'
import { parseAddress, parseHash, zeroAddress, zeroHash } from '../../model/hex.ts'
import { type AttestationFilter, everyAttestation } from '../../store/indexQueries.ts'
import {
  boundsOf,
  listAlternatives,
  passesConstant,
  type Alternative,
} from '../protocolGraphql/alternatives.ts'
import type { Condition, FieldCondition } from '../protocolGraphql/condition.ts'
import type { EasContext } from './easContext.ts'
import { listNeedleConditions } from './needleConditions.ts'
import { findPrintingSchemas } from './printingSchemas.ts'

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

/** The filters and ids whose rows hold every attestation that matches. */
export async function planAttestations(context: EasContext, condition: Condition): Promise<AttestationPlan> {
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
  const ofChain = { chainId: context.chain.chainId, protocol: context.protocol.name }
  return schemas?.map((localId) => ({ ...only, schema: { ...ofChain, localId } })) ?? filters
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

/** Most transactions that a condition names and that are looked up. */
const transactionsMax = 100

/** The attestations that transactions made; null where the tests name none, or too many. */
async function findByTransactions(
  { reader, chain }: EasContext,
  tests: readonly FieldCondition[],
): Promise<readonly LocalId[] | null> {
  const { values } = boundsOf(tests, ['txid'])
  if (values === null || values.size > transactionsMax) return null
  const hashes = [...values].map((value) => parseHash(String(value))).filter((hash) => hash !== null)
  const found = await Promise.all(hashes.map((hash) => reader.findTransaction(hash, chain.chainId)))
  return found.flatMap((transaction) => transaction?.attestations.map(({ key }) => key.localId) ?? [])
}
