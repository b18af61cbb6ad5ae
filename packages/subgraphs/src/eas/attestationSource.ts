import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { attestationFields, attestationValue, needsSchema, type AttestationRow } from './attestationRows.ts'
import { createMatcher, fieldsOf } from '../protocolGraphql/matchCondition.ts'
import { countGroups } from './countedGroups.ts'
import { countUnion } from './countUnion.ts'
import type { EasContext } from './easContext.ts'
import { placeAttestations, readAttestations, sizeOf } from '../protocolGraphql/readByIds.ts'
import { openArms, planAttestations } from '../protocolGraphql/planAttestations.ts'
import { easAttestations } from './planAttestations.ts'
import { countOffchain, findOffchainRow, offchainArms, type OffchainRow } from './offchainArms.ts'
import type { PlacedRow, RowSource } from './rowSource.ts'
import { walkArms, type ReadArm } from '../protocolGraphql/walkArms.ts'

export const attestationSource: RowSource<AttestationRow> = {
  model: 'Attestation',
  walkedFields: ['time', 'timeCreated'],
  furtherOrders: ['id', 'schema', 'creator', 'resolver', 'revocable', 'txid', 'time'].map(
    (field) => `schema.${field}`,
  ),
  valueOf: attestationValue,

  async *walk(context, { condition, order, after, fields, expected }) {
    const plan = await planAttestations(easAttestations, context, condition)
    const offchain = await offchainArms(context, condition)
    // Lists of off-chain attestations say less of a condition than those of the index.
    const isExact = plan.isExact && plan.ids.size === 0 && offchain.length === 0
    const needed = new Set([...fields, ...(isExact ? [] : fieldsOf(condition))])
    const read = attestationFields(needed)
    const needsPlaces = after !== null || offchain.length > 0
    const arms: ReadArm<ListedAttestation>[] = await openArms(context, plan, read, needsPlaces)
    arms.push(...offchain)
    const isMatch = createMatcher(
      condition,
      (row: AttestationRow, field) => attestationValue(context, row, field),
      context.budget.compare,
    )
    const batches = walkArms(arms, { order, after, expected }, context.budget, sizeOf)
    for await (const batch of batches) {
      const rows = batch.map(toRow)
      if (needsSchema(needed)) await attachSchemas(context, rows)
      yield isExact ? rows : await context.budget.filter(rows, isMatch)
    }
  },

  async find(context, id, fields, needsPlace) {
    const localId = parseLocalId(id)
    if (localId === null) return null
    const [onchain] = await findPlaced(context, [localId], new Set([...fields, 'txid']), needsPlace)
    const stored = onchain ?? (await findOffchainRow(context, localId))
    if (stored === null) return null
    const row = toRow(stored)
    if (needsSchema(fields)) await attachSchemas(context, [row])
    return row
  },

  async count(context, condition) {
    const { filters, ids, isExact } = await planAttestations(easAttestations, context, condition)
    if (!isExact || ids.size > 0) return null
    const offchain = await countOffchain(context, condition)
    if (offchain === null) return null
    const onchain = await countUnion(filters, intersect, (filter) =>
      context.countRows(() => context.reader.countAttestations(filter)),
    )
    return onchain === null ? null : onchain + offchain
  },

  async countGroups(context, condition, field, wanted) {
    const { filters, ids, isExact } = await planAttestations(easAttestations, context, condition)
    const [filter, ...others] = filters
    if (!isExact || ids.size > 0 || others.length > 0) return null
    if ((await countOffchain(context, condition)) !== 0) return null
    return filter === undefined ? [] : await countGroups(context, filter, field, wanted)
  },
}

/** An attestation of the index, or of the store. */
type ListedAttestation = StoredAttestation & Partial<Pick<OffchainRow, 'offchain'>>

function toRow(stored: ListedAttestation & PlacedRow): AttestationRow {
  const { offchain, place } = stored
  return { stored, place, ...(offchain === undefined ? {} : { offchain }) }
}

async function attachSchemas({ schemas }: EasContext, rows: readonly AttestationRow[]): Promise<void> {
  await Promise.all(
    rows.map(async (row) => {
      row.schema = await schemas.load(row.stored.schemaId)
    }),
  )
}

/** Attestations by their ids, with their places; unknown ids and records of other protocols are left out. */
async function findPlaced(
  context: EasContext,
  ids: readonly LocalId[],
  fields: ReadonlySet<string>,
  needsPositions: boolean,
) {
  const found = await readAttestations(context, ids, attestationFields(fields))
  return await placeAttestations(context, found, needsPositions)
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
