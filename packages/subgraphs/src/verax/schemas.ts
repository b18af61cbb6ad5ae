import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { everySchema } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { boundsOf, listAlternatives } from '../engine/alternatives.ts'
import { comparedValues, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { loadAll, sizeOfSchema } from '../engine/readByIds.ts'
import { openWhole } from '../engine/rowSource.ts'
import { field } from './fields.ts'
import type { Condition } from '../engine/condition.ts'
import { walkSlices } from '@attestry/server/records/slices.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A schema in a query; one that imported attestations name and that was never registered has an id alone. */
export interface SchemaNode {
  readonly id: LocalId
  readonly stored: StoredSchema | null
}

const fields: GraphNodeEntity<SchemaNode, VeraxContext>['fields'] = {
  id: field('ID!', ({ id }) => id),
  name: field('String!', ({ stored }) => stored?.name ?? '', {
    description: 'Empty, as all texts are, where the registry told of no such schema.',
  }),
  description: field('String!', ({ stored }) => stored?.description ?? ''),
  context: field('String!', ({ stored }) => stored?.context ?? ''),
  schema: field('String!', ({ stored }) => stored?.rawText ?? ''),
  attestationCounter: field('Int!', ({ stored }) => stored?.attestationCount ?? 0),
}

const ownValue = comparedValues(fields)

/** Schemas are few: a list reads all of the chain, but where ids are given. */
export const schemaEntity: GraphNodeEntity<SchemaNode, VeraxContext> = {
  name: 'Schema',
  fields,
  walkedFields: [],
  ties: 'id',
  valueOf: (_context, row, name) => ownValue(row, name),
  open: async (context, { condition }) => openWhole((await readSchemas(context, condition)).map(nodeOf)),
  async find({ schemas }, id) {
    const localId = parseLocalId(id)
    const stored = localId && (await schemas.load(localId))
    return stored && nodeOf(stored)
  },
}

function nodeOf(stored: StoredSchema): SchemaNode {
  return { id: stored.key.localId, stored }
}

/** Schemas among which are all that match. */
async function readSchemas(
  { reader, chain, protocol, schemas, budget }: VeraxContext,
  condition: Condition,
): Promise<readonly StoredSchema[]> {
  const lists = listAlternatives(condition).map(({ tests }) => boundsOf(tests, ['id']).values)
  if (lists.every((values) => values !== null)) {
    const ids = new Set(lists.flatMap((values) => [...values].map((id) => parseLocalId(String(id)))))
    const found = await loadAll(
      schemas,
      [...ids].filter((id) => id !== null),
    )
    const known = found.filter((schema) => schema !== null)
    await budget.readRows(known, sizeOfSchema)
    return known
  }
  const filter = { ...everySchema, chainId: chain.chainId, protocol: chain.isShared ? protocol.name : null }
  const slice = (after: RowPlace | null, limit: number) =>
    reader.sliceSchemas({ filter, order: 'oldestFirst', after, limit })
  const read: StoredSchema[] = []
  for await (const rows of walkSlices(slice)) {
    await budget.readRows(rows, sizeOfSchema)
    read.push(...rows)
  }
  return read
}
