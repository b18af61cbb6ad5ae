import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { endOf, everySchema, type SchemaFilter } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { isEverything } from '../engine/condition.ts'
import { fieldsOf } from '../engine/matchCondition.ts'
import {
  addressPart,
  attestationRules,
  flagPart,
  ofChain,
  openArms,
  planReads,
  type ReadRules,
} from '../engine/planReads.ts'
import {
  bool,
  hex,
  int,
  text,
  valuesOf,
  type PrismaEntity,
  type PrismaField,
} from '../engine/prisma/entity.ts'
import { findPosition, loadAll, sizeOfSchema } from '../engine/readByIds.ts'
import { mapBatches, type PlacedRow } from '../engine/rowSource.ts'
import { walkArms } from '../engine/walkArms.ts'
import type { EasContext } from './easContext.ts'

/** A schema of the index in the form of easscan. */
export interface SchemaRow extends PlacedRow {
  readonly stored: StoredSchema
  /** Its number in the order of registration on its chain, from 1; undefined unless asked for. */
  index?: string
}

/** A schema in a query. A schema that is not indexed has only an id; its values are empty. */
export interface SchemaNode {
  readonly id: LocalId
  /** Absent if nothing but the id is asked for. */
  readonly stored?: StoredSchema | null
}

/** The fields of schemas. */
export const schemaFields: Readonly<Record<string, PrismaField<Omit<SchemaRow, 'place'>, EasContext>>> = {
  id: hex(({ stored }) => stored.key.localId),
  schema: text(({ stored }) => stored.rawText),
  creator: hex(({ stored }) => checksumAddress(stored.transactionSender ?? stored.registrant)),
  resolver: hex(({ stored }) => checksumAddress(stored.resolver)),
  revocable: bool(({ stored }) => stored.revocable),
  index: text(({ index = '' }) => index),
  txid: hex(({ stored }) => stored.transactionHash),
  time: int(({ stored }) => stored.registerTimestamp),
}

/** The field by which schemas are ordered by their number of attestations. */
const attestationCount = 'attestations._count'

export const schemaEntity: PrismaEntity<SchemaRow, EasContext> = {
  name: 'Schema',
  many: 'schemata',
  fields: schemaFields,
  relatedTo: {
    attestations: { entity: 'Attestation', isList: true, local: 'id', foreign: 'schemaId' },
    schemaNames: { entity: 'SchemaName', isList: true, local: 'id', foreign: 'schemaId' },
  },
  walkedFields: ['time', 'index'],
  furtherOrders: [attestationCount],
  nodeOf: ({ stored }): SchemaNode => ({ id: stored.key.localId, stored }),
  valueOf: valuesOf({ ...schemaFields, [attestationCount]: int(({ stored }) => stored.attestationCount) }),

  async open(context, { condition, order, after, expected }) {
    const { reader, budget } = context
    // The creator of a schema with a sender is another account than the one that schemas are listed by.
    const hasSenders = fieldsOf(condition).includes('creator') && (await knowsSenders(context))
    const plan = await planReads(hasSenders ? schemaRules : creatorRules, context, condition)
    const arms = await openArms(
      plan,
      (request) => reader.sliceSchemas(request),
      async (ids) => (await findRows(context, ids, true)).map(toPlaced),
    )
    return {
      rest: plan.rest,
      read: (needed) =>
        mapBatches(walkArms(arms, { order, after, expected }, budget, sizeOfSchema), async (batch) => {
          const rows = batch.map((stored): SchemaRow => ({ stored, place: stored.place }))
          if (needed.has('index')) await attachIndexes(context, rows)
          return rows
        }),
    }
  },

  async find(context, id, fields, needsPlace) {
    const localId = parseLocalId(id)
    const rows = localId === null ? [] : await findRows(context, [localId], needsPlace)
    if (fields.has('index')) await attachIndexes(context, rows)
    return rows[0] ?? null
  },

  async count(context, condition) {
    const filter = { ...everySchema, ...ofChain(context) }
    return isEverything(condition) ? await context.countRows(() => context.reader.countSchemas(filter)) : null
  },
}

function toPlaced({ stored, place }: SchemaRow): StoredSchema & { readonly place: RowPlace } {
  return { ...stored, place }
}

async function findRows(
  context: EasContext,
  ids: readonly LocalId[],
  needsPlaces: boolean,
): Promise<SchemaRow[]> {
  const { newest, chain, schemas } = context
  const rows: SchemaRow[] = []
  for (const stored of await loadAll(schemas, ids)) {
    if (stored === null) continue
    const position = needsPlaces ? await findPosition(newest, stored.key, 'schema') : 0
    rows.push({ stored, place: { timestamp: stored.registerTimestamp, chainId: chain.chainId, position } })
  }
  return rows
}

async function attachIndexes(context: EasContext, rows: readonly SchemaRow[]): Promise<void> {
  for (const row of rows) row.index = await schemaIndex(context, row.stored)
}

/**
 * The number of a schema in the order of registration on its chain, from 1: those registered at an earlier time, and
 * those before it at the same time.
 */
export async function schemaIndex(
  context: EasContext,
  { key, registerTimestamp }: StoredSchema,
): Promise<string> {
  const { reader, countRows } = context
  const all = { ...everySchema, ...ofChain(context) }
  const earlier = await countRows(() => reader.countSchemas({ ...all, registeredBefore: registerTimestamp }))
  const filter = { ...all, registeredFrom: registerTimestamp, registeredBefore: registerTimestamp + 1 }
  const { rows } = await reader.sliceSchemas({ filter, order: 'oldestFirst', after: null, limit: 1_000 })
  return String(earlier + rows.findIndex((row) => row.key.localId === key.localId) + 1)
}

/** Narrows reads by the fields of schemas. */
const schemaRules: ReadRules<EasContext, SchemaFilter> = {
  every: (context) => ({ ...everySchema, ...ofChain(context) }),
  idOf: attestationRules.idOf,
  fields: { resolver: addressPart('resolver'), revocable: flagPart('revocable') },
  times: [{ fields: ['time'], from: 'registeredFrom', before: 'registeredBefore' }],
}

const creatorRules: typeof schemaRules = {
  ...schemaRules,
  fields: { ...schemaRules.fields, creator: addressPart('registrant') },
}

/**
 * Whether schemas of the chain have senders of transactions: the creator of such a schema is another account than the
 * one that schemas are listed by. Senders may have been configured for a while only; each schema is looked at once.
 */
async function knowsSenders({ reader, chain, senders }: EasContext): Promise<boolean> {
  const { chainId } = chain
  let { after, isKnown } = senders.get(chainId) ?? { after: null, isKnown: false }
  for (let hasMore = true; hasMore && !isKnown;) {
    const filter = { ...everySchema, chainId }
    const slice = await reader.sliceSchemas({ filter, order: 'oldestFirst', after, limit: 1_000 })
    isKnown = slice.rows.some(({ transactionSender }) => transactionSender !== null)
    after = endOf(slice) ?? after
    hasMore = slice.hasMore
  }
  senders.set(chainId, { after, isKnown })
  return isKnown
}
