import { parseLocalId } from '@attestry/core/model/compositeId.ts'
import { parseHex } from '@attestry/core/model/hex.ts'
import { formatRecipient } from '@attestry/core/model/recordJson.ts'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { FieldCondition } from '../engine/condition.ts'
import {
  addressPart,
  openArms,
  planAttestations,
  revokedPart,
  schemaPart,
  type AttestationDialect,
} from '../engine/planAttestations.ts'
import { readAttestations, sizeOf } from '../engine/readByIds.ts'
import { createSorter } from '../engine/sortRows.ts'
import { createMatcher, fieldsOf } from '../engine/matchCondition.ts'
import { walkArms } from '../engine/walkArms.ts'
import { attestationValue, needsOrigin, type AttestationRow } from './attestationRows.ts'
import type { ListArguments } from '../engine/graphNode/listArguments.ts'
import type { VeraxContext } from './veraxContext.ts'

/** Rows with their details, which hold data and portal; schemas are loaded where they are asked for. */
const read = { detail: true, schema: false }

/** Ids count the attestations of a registry, so that these orders are the order of listings. */
const walkedFields: readonly string[] = ['id', 'attestedDate']

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
  const plan = await planAttestations(veraxAttestations, context, condition)
  const arms = await openArms(context, plan, read)
  const keys = isWalked ? [] : [{ field: orderBy, isDescending }]
  const matching = createSorter(keys, attestationValue, skip + first)
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
    matching.add(await budget.filter(rows, isMatch))
    if (isWalked && matching.isFull()) break
  }
  return matching.sorted().slice(skip)
}

/** The attestation with an id; null where there is none. */
export async function findAttestation(context: VeraxContext, id: string): Promise<AttestationRow | null> {
  const localId = parseLocalId(id)
  const [found] = localId === null ? [] : await readAttestations(context, [localId], read)
  return found == null ? null : { stored: found }
}

/** How the fields of attestations narrow what is read. Each row is held against the whole condition. */
const veraxAttestations: AttestationDialect<VeraxContext> = {
  fields: {
    schema: schemaPart,
    portal: addressPart('portal'),
    attester: addressPart('attester'),
    subject: (context, value) => subjectFilter(context, String(value)),
    revoked: revokedPart,
  },
  absent: {},
  constants: {},
  timeFields: ['attestedDate'],
  narrow: narrowByIds,
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

/** Narrows the times by bounds of ids, which grow with time: the time of a known attestation is a bound. */
async function narrowByIds(
  context: VeraxContext,
  tests: readonly FieldCondition[],
  filters: readonly AttestationFilter[],
): Promise<readonly AttestationFilter[]> {
  let from = 0
  let before = Infinity
  for (const { field, test } of tests) {
    if (field !== 'id' || test.kind === 'in' || test.kind === 'like' || test.kind === 'bytes') continue
    const found = await findAttestation(context, String(test.value))
    if (found === null) continue
    if (test.kind === 'gt' || test.kind === 'gte') from = Math.max(from, found.stored.attestTimestamp)
    else before = Math.min(before, found.stored.attestTimestamp + 1)
  }
  return filters.map((filter) => {
    const attestedFrom = Math.max(filter.attestedFrom ?? 0, from) || null
    const attestedBefore = Math.min(filter.attestedBefore ?? Infinity, before)
    return { ...filter, attestedFrom, attestedBefore: attestedBefore === Infinity ? null : attestedBefore }
  })
}
