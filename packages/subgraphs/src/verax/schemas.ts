import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { everySchema } from '@attestry/core/index/indexQueries.ts'
import type { StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { listedValues } from '../engine/alternatives.ts'
import { comparedValues, type GraphNodeEntity } from '../engine/graphNode/entity.ts'
import { ofChain } from '../engine/planReads.ts'
import { loadAll, sizeOfSchema } from '../engine/readByIds.ts'
import { openWhole } from '../engine/rowSource.ts'
import { walkArms, type ReadArm } from '../engine/walkArms.ts'
import { field } from './fields.ts'
import type { Condition } from '../engine/condition.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A schema in a query. Imported attestations may name one that was never registered: it has only an id. */
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

/** Schemas are few: a list reads all of the chain, but where ids are given. */
export const schemaEntity: GraphNodeEntity<SchemaNode, VeraxContext> = {
  name: 'Schema',
  fields,
  walkedFields: [],
  ties: 'id',
  valueOf: comparedValues(fields),
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
async function readSchemas(context: VeraxContext, condition: Condition): Promise<readonly StoredSchema[]> {
  const { reader, schemas, budget } = context
  const listed = listedValues(condition, 'id')
  if (listed !== null) {
    const ids = [...listed].map((id) => parseLocalId(String(id))).filter((id) => id !== null)
    const found = await loadAll(schemas, [...new Set(ids)])
    const known = found.filter((schema) => schema !== null)
    await budget.readRows(known, sizeOfSchema)
    return known
  }
  const filter = { ...everySchema, ...ofChain(context) }
  const arm: ReadArm<StoredSchema> = (order, after, limit) =>
    reader.sliceSchemas({ filter, order, after, limit })
  const walk = { order: 'oldestFirst', after: null, expected: null } as const
  return (await Array.fromAsync(walkArms([arm], walk, budget, sizeOfSchema))).flat()
}
