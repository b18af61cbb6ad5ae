import { parseAddress, type Hex } from '@attestry/core/model/hex.ts'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { allOf, everything, isOneOf, type Condition } from '../engine/condition.ts'
import { createMatcher } from '../engine/matchCondition.ts'
import { bool, hex, int, text, valuesOf, type PrismaEntity } from '../engine/prisma/entity.ts'
import { mapBatches, walkRows, wholeWalk, type PlacedRow } from '../engine/rowSource.ts'
import { attestationEntity, type AttestationRow } from './attestations.ts'
import type { EasContext } from './easContext.ts'

/**
 * A name that an unrevoked attestation under the schema "Name a Schema" gives to a registered schema, whoever made it.
 * Names of schemas that are not registered have no row, as in EAS's own indexer.
 */
export interface SchemaNameRow extends PlacedRow {
  readonly attestation: AttestationRow
  readonly schemaId: LocalId
  readonly name: string
  readonly schema: StoredSchema
}

const neededFields: ReadonlySet<string> = new Set(['data'])

/** The fields of the schema "Name a Schema". */
const nameFields = [
  { name: 'schemaId', type: 'bytes32' },
  { name: 'name', type: 'string' },
]

const valueOfAttestation = attestationEntity.valueOf

const fields: PrismaEntity<SchemaNameRow, EasContext>['fields'] = {
  id: hex(({ attestation }) => attestation.stored.key.localId),
  schemaId: hex(({ schemaId }) => schemaId),
  attesterAddress: hex(({ attestation }) => attestation.stored.attester),
  name: text(({ name }) => name),
  time: int(({ attestation }) => attestation.stored.attestTimestamp),
  isCreator: bool(({ attestation, schema }) => {
    const creator = schema.transactionSender ?? schema.registrant
    return creator === parseAddress(attestation.stored.attester)
  }),
}

export const schemaNameEntity: PrismaEntity<SchemaNameRow, EasContext> = {
  name: 'SchemaName',
  many: 'schemaNames',
  fields,
  relatedTo: { schema: { entity: 'Schema', isList: false, local: 'schemaId', foreign: 'id' } },
  walkedFields: ['time'],
  valueOf: valuesOf(fields),

  open(context, request) {
    const named = { ...request, condition: namesCondition(context, false), fields: neededFields }
    const valueOf = (row: SchemaNameRow, field: string) => schemaNameEntity.valueOf(context, row, field)
    const isMatch = createMatcher(request.condition, valueOf, context.budget.compare)
    return Promise.resolve({
      // The removals are read for names that match.
      rest: everything,
      read: () =>
        mapBatches(walkRows(attestationEntity, context, named), async (batch) => {
          const rows = await Promise.all(batch.map((row) => readName(context, row)))
          return await withoutRemoved(context, rows.filter((row) => row !== null).filter(isMatch))
        }),
    })
  },

  async find(context, id, _fields, needsPlace) {
    const row = await attestationEntity.find(context, id, neededFields, needsPlace)
    if (row === null || row.stored.revocation !== null) return null
    if (row.stored.schemaId !== context.protocol.nameSchemaId) return null
    const name = await readName(context, row)
    const [left] = name === null ? [] : await withoutRemoved(context, [name])
    return left ?? null
  },
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
    const removedAt = removals.get(keyOf(row))
    return removedAt === undefined || row.attestation.stored.attestTimestamp >= removedAt
  })
}

/** When a name, schema and attester were last removed, in Unix seconds. */
async function findRemovals(context: EasContext): Promise<ReadonlyMap<string, number>> {
  const removals = new Map<string, number>()
  const revoked = wholeWalk(namesCondition(context, true), neededFields)
  for await (const batch of walkRows(attestationEntity, context, revoked)) {
    for (const attestation of batch) {
      const row = await readName(context, attestation)
      if (row === null) continue
      const key = keyOf(row)
      const removedAt = Number(valueOfAttestation(context, attestation, 'revocationTime'))
      removals.set(key, Math.max(removedAt, removals.get(key) ?? 0))
    }
  }
  return removals
}

function keyOf({ schemaId, attestation, name }: SchemaNameRow): string {
  return JSON.stringify([schemaId, attestation.stored.attester, name])
}

async function readName(context: EasContext, attestation: AttestationRow): Promise<SchemaNameRow | null> {
  const payload = context.decodePayload({
    protocol: context.protocol.name,
    fields: nameFields,
    data: valueOfAttestation(context, attestation, 'data') as Hex,
    dataLocation: 'ONCHAIN',
  })
  if (payload.kind !== 'decoded') return null
  const [named, name] = payload.values.map(({ value }) => value)
  const schemaId = typeof named === 'string' ? parseLocalId(named) : null
  if (schemaId === null || typeof name !== 'string') return null
  const schema = await context.schemas.load(schemaId)
  return schema && { place: attestation.place, attestation, schemaId, name, schema }
}
