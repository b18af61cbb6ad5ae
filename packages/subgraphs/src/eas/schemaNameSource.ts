import { type Hex, parseAddress } from '@attestry/core/model/hex.ts'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { RowPlace, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { attestationSource } from './attestationSource.ts'
import { attestationValue, type AttestationRow } from './attestationRows.ts'
import { allOf, isOneOf, type Condition, type FieldValue } from '../protocolGraphql/condition.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import type { EasContext } from './easContext.ts'
import type { RowSource } from './rowSource.ts'

/**
 * A name that an unrevoked attestation under the schema "Name a Schema" gives to a registered schema, whoever made it.
 * Names of schemas that are not registered have no row, as in EAS's own indexer.
 */
export interface SchemaNameRow {
  readonly place: RowPlace
  readonly attestation: AttestationRow
  readonly schemaId: LocalId
  readonly name: string
  readonly schema: StoredSchema
}

/** The fields that are those of the attestation. */
const attestationFieldOf: Readonly<Record<string, string>> = {
  id: 'id',
  attesterAddress: 'attester',
  time: 'time',
}

const neededFields: ReadonlySet<string> = new Set(['data'])

/** The fields of the schema "Name a Schema". */
const nameFields = [
  { name: 'schemaId', type: 'bytes32' },
  { name: 'name', type: 'string' },
]

export const schemaNameSource: RowSource<SchemaNameRow> = {
  model: 'SchemaName',
  walkedFields: ['time'],
  furtherOrders: [],
  valueOf,

  async *walk(context, { condition, order, after, expected }) {
    const batches = attestationSource.walk(context, {
      condition: namesCondition(context, false),
      order,
      after,
      fields: neededFields,
      expected,
    })
    const isMatch = createMatcher(
      condition,
      (row: SchemaNameRow, field) => valueOf(context, row, field),
      context.budget.compare,
    )
    for await (const batch of batches) {
      const rows = await Promise.all(batch.map((row) => readName(context, row)))
      const matching = rows.filter((row) => row !== null).filter(isMatch)
      yield await withoutRemoved(context, matching)
    }
  },

  async find(context, id, _fields, needsPlace) {
    const row = await attestationSource.find(context, id, neededFields, needsPlace)
    if (row === null || row.stored.revocation !== null) return null
    if (attestationValue(context, row, 'schemaId') !== context.protocol.nameSchemaId) return null
    const name = await readName(context, row)
    const [left] = name === null ? [] : await withoutRemoved(context, [name])
    return left ?? null
  },

  count: () => Promise.resolve(null),
}

function namesCondition({ protocol }: EasContext, isRevoked: boolean): Condition {
  return allOf(isOneOf('schemaId', [protocol.nameSchemaId]), isOneOf('revoked', [isRevoked]))
}

/**
 * The names that no later revocation removed: as the indexer of EAS does, a revocation of a name takes away every
 * earlier row of that name, schema and attester.
 */
async function withoutRemoved(
  context: EasContext,
  rows: readonly SchemaNameRow[],
): Promise<readonly SchemaNameRow[]> {
  if (rows.length === 0) return rows
  context.removals.found ??= findRemovals(context)
  const removals = await context.removals.found
  return rows.filter((row) => {
    const removedAt = removals.get(keyOf(context, row))
    return removedAt === undefined || Number(valueOf(context, row, 'time')) >= removedAt
  })
}

/** When a name, schema and attester were last removed, in Unix seconds. */
async function findRemovals(context: EasContext): Promise<ReadonlyMap<string, number>> {
  const removals = new Map<string, number>()
  const batches = attestationSource.walk(context, {
    condition: namesCondition(context, true),
    order: 'oldestFirst',
    after: null,
    fields: neededFields,
    expected: null,
  })
  for await (const batch of batches) {
    for (const attestation of batch) {
      const row = await readName(context, attestation)
      if (row === null) continue
      const key = keyOf(context, row)
      const removedAt = Number(attestationValue(context, attestation, 'revocationTime'))
      removals.set(key, Math.max(removedAt, removals.get(key) ?? 0))
    }
  }
  return removals
}

function keyOf(context: EasContext, row: SchemaNameRow): string {
  return JSON.stringify([row.schemaId, valueOf(context, row, 'attesterAddress'), row.name])
}

async function readName(context: EasContext, attestation: AttestationRow): Promise<SchemaNameRow | null> {
  const payload = context.decodePayload({
    protocol: context.protocol.name,
    fields: nameFields,
    data: attestationValue(context, attestation, 'data') as Hex,
    dataLocation: 'ONCHAIN',
  })
  if (payload.kind !== 'decoded') return null
  const [named, name] = payload.values.map(({ value }) => value)
  const schemaId = typeof named === 'string' ? parseLocalId(named) : null
  if (schemaId === null || typeof name !== 'string') return null
  const schema = await context.schemas.load(schemaId)
  return schema && { place: attestation.place, attestation, schemaId, name, schema }
}

function valueOf(context: EasContext, row: SchemaNameRow, field: string): FieldValue {
  const { attestation, schemaId, name, schema } = row
  const own = attestationFieldOf[field]
  if (own !== undefined) return attestationValue(context, attestation, own)
  switch (field) {
    case 'schemaId':
      return schemaId
    case 'name':
      return name
    case 'isCreator': {
      const creator = schema.transactionSender ?? schema.registrant
      return creator === parseAddress(String(attestationValue(context, attestation, 'attester')))
    }
    default:
      throw new TypeError(`a schema name has no field ${field}`)
  }
}
