import { parseLocalId, type LocalId } from '../../model/compositeId.ts'
import { parseAddress, parseHex } from '../../model/hex.ts'
import { formatRecipient } from '../../model/recordJson.ts'
import { type AttestationFilter, everyAttestation } from '../../store/indexQueries.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'
import { boundsOf, listAlternatives } from '../protocolGraphql/alternatives.ts'
import type { Condition, FieldCondition, FieldValue } from '../protocolGraphql/condition.ts'
import { placeAttestations, readAttestations, sizeOf } from '../protocolGraphql/readByIds.ts'
import { sortRows } from '../protocolGraphql/sortRows.ts'
import { createMatcher, fieldsOf } from '../protocolGraphql/matchCondition.ts'
import { readSorted, walkArms, type ReadArm } from '../protocolGraphql/walkArms.ts'
import { attestationValue, needsOrigin, type AttestationRow } from './attestationRows.ts'
import type { ListArguments } from './listArguments.ts'
import type { VeraxContext } from './veraxContext.ts'

/** Rows with their details, which hold data and portal; schemas are loaded where they are asked for. */
const read = { detail: true, schema: false }

/** Ids count the attestations of a registry, so that these orders are the order of listings. */
const walkedFields: readonly string[] = ['id', 'attestedDate']

/** Most filters that the lists of one alternative are multiplied to. */
const filtersMax = 100

/** The attestations of a list. Rows that the order leaves equal stand by id, in the direction of the order. */
export async function listAttestations(
  context: VeraxContext,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): Promise<readonly AttestationRow[]> {
  const { budget } = context
  const isWalked = walkedFields.includes(orderBy)
  const expected = isWalked ? skip + first : null
  const order = isDescending ? 'newestFirst' : 'oldestFirst'
  const fields = [orderBy, ...fieldsOf(condition)]
  const needsSchema = fields.some((field) => field.startsWith('schema.'))
  const isOriginNeeded = needsOrigin(fields)
  const isMatch = createMatcher(condition, attestationValue, budget.compare)
  const arms = await planArms(context, condition)
  const matching: AttestationRow[] = []
  for await (const batch of walkArms(arms, { order, after: null, expected }, budget, sizeOf)) {
    const rows = batch.map((stored): AttestationRow => ({ stored }))
    if (needsSchema) {
      for (const row of rows) row.schema = await context.schemas.load(row.stored.schemaId)
    }
    if (isOriginNeeded) {
      await Promise.all(
        rows.map(async (row) => {
          row.origin = await context.origins.load(row.stored.key.localId)
        }),
      )
    }
    matching.push(...rows.filter(isMatch))
    if (expected !== null && matching.length >= expected) break
  }
  const sorted = isWalked
    ? matching
    : sortRows(matching, [{ field: orderBy, isDescending }], attestationValue)
  return sorted.slice(skip, skip + first)
}

/** The attestation with an id; null where there is none. */
export async function findAttestation(context: VeraxContext, id: string): Promise<StoredAttestation | null> {
  const localId = parseLocalId(id)
  const [found] = localId === null ? [] : await readAttestations(context, [localId], read)
  return found ?? null
}

/** The lists whose rows together hold every attestation that matches. */
async function planArms(
  context: VeraxContext,
  condition: Condition,
): Promise<readonly ReadArm<StoredAttestation>[]> {
  const arms: ReadArm<StoredAttestation>[] = []
  const ids = new Set<LocalId>()
  for (const { tests } of listAlternatives(condition)) {
    const asked = boundsOf(tests, ['id']).values
    for (const id of asked ?? []) {
      const localId = parseLocalId(String(id))
      if (localId !== null) ids.add(localId)
    }
    if (asked !== null) continue
    for (const filter of await planFilters(context, tests)) {
      arms.push((order, after, limit) =>
        context.reader.sliceAttestations({ filter, order, after, limit }, read),
      )
    }
  }
  if (ids.size > 0) {
    const found = await readAttestations(context, [...ids], read)
    arms.push(readSorted(await placeAttestations(context, found, true)))
  }
  return arms
}

async function planFilters(
  context: VeraxContext,
  tests: readonly FieldCondition[],
): Promise<readonly AttestationFilter[]> {
  const { chain, protocol } = context
  const { chainId } = chain
  /** The parts of filters for the values of which a field needs one; values that no record has are left out. */
  const dimensionOf = (field: string, partOf: (value: FieldValue) => Partial<AttestationFilter> | null) => {
    const { values } = boundsOf(tests, [field])
    return values === null ? null : [...values].map(partOf).filter((part) => part !== null)
  }
  const dimensions = [
    dimensionOf('schema', (value) => {
      const localId = parseLocalId(String(value))
      return localId && { schema: { chainId, protocol: protocol.name, localId } }
    }),
    dimensionOf('portal', (value) => {
      const portal = parseAddress(String(value))
      return portal && { portal }
    }),
    dimensionOf('attester', (value) => {
      const attester = parseAddress(String(value))
      return attester && { attester }
    }),
    dimensionOf('subject', (value) => subjectFilter(context, String(value))),
    dimensionOf('revoked', (value) => ({ revoked: value === true })),
  ].filter((parts) => parts !== null)
  const base: AttestationFilter = {
    ...everyAttestation,
    chainId,
    protocol: chain.isShared ? protocol.name : null,
    ...(await boundTimes(context, tests)),
  }
  let filters: readonly AttestationFilter[] = [base]
  for (const parts of dimensions.sort((a, b) => a.length - b.length)) {
    if (parts.length * filters.length > filtersMax) continue
    filters = filters.flatMap((filter) => parts.map((part) => ({ ...filter, ...part })))
  }
  return filters
}

/** No bytes are the subject of imported records alone, and no index lists these. */
function subjectFilter({ protocol }: VeraxContext, value: string): Partial<AttestationFilter> | null {
  const bytes = parseHex(value)
  if (bytes === null) return null
  const subject = protocol.decodeSubject(bytes)
  if (subject === null) return {}
  return {
    recipient: subject.kind === 'address' ? subject : { kind: 'value', value: formatRecipient(subject) },
  }
}

/** The times that `attestedDate` is bound to; and ids, which grow with time: that of a known attestation tells when. */
async function boundTimes(
  context: VeraxContext,
  tests: readonly FieldCondition[],
): Promise<Pick<AttestationFilter, 'attestedFrom' | 'attestedBefore'>> {
  const times = boundsOf(tests, ['attestedDate'])
  const values = times.values === null ? null : [...times.values].map(Number)
  let from = Math.max(times.from ?? 0, values === null ? 0 : Math.min(...values))
  let to = Math.min(times.to ?? Infinity, values === null ? Infinity : Math.max(...values))
  for (const { field, test } of tests) {
    if (field !== 'id' || test.kind === 'in' || test.kind === 'like' || test.kind === 'bytes') continue
    const found = await findAttestation(context, String(test.value))
    if (found === null) continue
    if (test.kind === 'gt' || test.kind === 'gte') from = Math.max(from, found.attestTimestamp)
    else to = Math.min(to, found.attestTimestamp)
  }
  const bound = (time: number) => Math.min(time, Number.MAX_SAFE_INTEGER - 1)
  return {
    attestedFrom: from === 0 ? null : bound(from),
    attestedBefore: to === Infinity ? null : Math.max(0, bound(to) + 1),
  }
}
