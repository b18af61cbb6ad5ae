import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { parseAddress, zeroAddress } from '@attestry/core/model/hex.ts'
import { everySchema, type SchemaFilter } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { boundsOf, listAlternatives } from '../engine/alternatives.ts'
import type { Condition, FieldValue } from '../engine/condition.ts'
import {
  bool,
  hex,
  int,
  text,
  valuesOf,
  type PrismaEntity,
  type PrismaField,
} from '../engine/prisma/entity.ts'
import { findPosition, keysMax, sizeOfSchema } from '../engine/readByIds.ts'
import type { PlacedRow } from '../engine/rowSource.ts'
import { readSorted, walkArms, type ReadArm } from '../engine/walkArms.ts'
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
  /** Absent where nothing but the id is asked for. */
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
    const { filters, ids } = await planSchemas(context, condition)
    const arms = filters.map(
      (filter): ReadArm<StoredSchema> =>
        (walked, from, limit) =>
          reader.sliceSchemas({ filter, order: walked, after: from, limit }),
    )
    if (ids.size > 0) arms.push(readSorted((await findRows(context, [...ids], true)).map(toPlaced)))
    return {
      read: async function* (needed) {
        for await (const batch of walkArms(arms, { order, after, expected }, budget, sizeOfSchema)) {
          const rows = batch.map((stored): SchemaRow => ({ stored, place: stored.place }))
          if (needed.has('index')) await attachIndexes(context, rows)
          yield rows
        }
      },
    }
  },

  async find(context, id, fields, needsPlace) {
    const localId = parseLocalId(id)
    const rows = localId === null ? [] : await findRows(context, [localId], needsPlace)
    if (fields.has('index')) await attachIndexes(context, rows)
    return rows[0] ?? null
  },

  async count({ reader, chain, protocol, countRows }, condition) {
    const isEverything = condition.kind === 'all' && condition.of.length === 0
    const filter = { ...everySchema, chainId: chain.chainId, protocol: protocol.name }
    return isEverything ? await countRows(() => reader.countSchemas(filter)) : null
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
  const { reader, chain, budget, protocol } = context
  const rows: SchemaRow[] = []
  for (let start = 0; start < ids.length; start += keysMax) {
    const keys = ids.slice(start, start + keysMax).map((localId) => {
      return { chainId: chain.chainId, protocol: protocol.name, localId }
    })
    for (const stored of await reader.findSchemas(keys)) {
      if (stored === null) continue
      await budget.readRows([stored], sizeOfSchema)
      const position = needsPlaces ? await findPosition(context.newest, stored.key, 'schema') : 0
      rows.push({ stored, place: { timestamp: stored.registerTimestamp, chainId: chain.chainId, position } })
    }
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
  const { reader, chain, protocol, countRows } = context
  const ofChain = { ...everySchema, chainId: chain.chainId, protocol: chain.isShared ? protocol.name : null }
  const earlier = await countRows(() =>
    reader.countSchemas({ ...ofChain, registeredBefore: registerTimestamp }),
  )
  const filter = { ...ofChain, registeredFrom: registerTimestamp, registeredBefore: registerTimestamp + 1 }
  const { rows } = await reader.sliceSchemas({ filter, order: 'oldestFirst', after: null, limit: 1_000 })
  return String(earlier + rows.findIndex((row) => row.key.localId === key.localId) + 1)
}

interface SchemaPlan {
  readonly filters: readonly SchemaFilter[]
  readonly ids: ReadonlySet<LocalId>
}

/** The filters and ids whose rows hold every schema that matches. */
async function planSchemas(context: EasContext, condition: Condition): Promise<SchemaPlan> {
  const { chain, protocol } = context
  const filters: SchemaFilter[] = []
  const ids = new Set<LocalId>()
  for (const { tests } of listAlternatives(condition)) {
    const asked = boundsOf(tests, ['id']).values
    if (asked !== null) {
      const parsed = [...asked].map((id) => parseLocalId(String(id))).filter((id) => id !== null)
      for (const id of parsed) ids.add(id)
      continue
    }
    const times = boundsOf(tests, ['time'])
    const base = {
      ...everySchema,
      chainId: chain.chainId,
      protocol: chain.isShared ? protocol.name : null,
      registeredFrom: times.from,
      registeredBefore: times.to === null ? null : times.to + 1,
    }
    const creators = boundsOf(tests, ['creator']).values
    const resolvers = boundsOf(tests, ['resolver']).values
    if (creators !== null && !(await knowsSenders(context))) {
      filters.push(...addressesOf(creators).map((registrant) => ({ ...base, registrant })))
    } else if (resolvers !== null && !resolvers.has(zeroAddress)) {
      filters.push(...addressesOf(resolvers).map((resolver) => ({ ...base, resolver })))
    } else {
      filters.push(base)
    }
  }
  return { filters, ids }
}

function addressesOf(values: ReadonlySet<FieldValue>) {
  return [...values].map((value) => parseAddress(String(value))).filter((address) => address !== null)
}

/**
 * Whether schemas of the chain have senders of transactions: the creator of such a schema is another account than the
 * one that schemas are listed by. Senders may have been configured for a while only; each schema is looked at once.
 */
async function knowsSenders({ reader, chain, senders }: EasContext): Promise<boolean> {
  const { chainId } = chain
  let { after, isKnown } = senders.get(chainId) ?? { after: null, isKnown: false }
  for (let hasMore = true; hasMore && !isKnown;) {
    const request = {
      filter: { ...everySchema, chainId },
      order: 'oldestFirst',
      after,
      limit: 1_000,
    } as const
    const slice = await reader.sliceSchemas(request)
    isKnown = slice.rows.some(({ transactionSender }) => transactionSender !== null)
    after = slice.scannedTo ?? slice.rows.at(-1)?.place ?? after
    hasMore = slice.hasMore
  }
  senders.set(chainId, { after, isKnown })
  return isKnown
}
