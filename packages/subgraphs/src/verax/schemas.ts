import { parseLocalId, type LocalId } from '@attestry/core/model/compositeId.ts'
import { everySchema } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredSchema } from '@attestry/core/index/storedRecords.ts'
import { boundsOf, listAlternatives } from '../engine/alternatives.ts'
import { createValues } from '../engine/fieldValues.ts'
import { loadAll, sizeOfSchema } from '../engine/readByIds.ts'
import { selectRows, type ListArguments } from '../engine/graphNode/listArguments.ts'
import type { Condition } from '../engine/condition.ts'
import { walkSlices } from '@attestry/server/records/slices.ts'
import type { VeraxContext } from './veraxContext.ts'

/** A schema in a query; one that imported attestations name and that was never registered has an id alone. */
export interface SchemaNode {
  readonly id: LocalId
  readonly stored: StoredSchema | null
}

/** The value of a field that filters and orders take. */
export const schemaValue = createValues<StoredSchema>({
  id: ({ key }) => key.localId,
  name: ({ name }) => name,
  description: ({ description }) => description,
  context: ({ context }) => context ?? '',
  schema: ({ rawText }) => rawText,
  attestationCounter: ({ attestationCount }) => attestationCount,
})

/** The schemas of a list. They are few: all of the chain are read, but where ids are given. */
export async function listSchemas(
  context: VeraxContext,
  list: ListArguments,
): Promise<readonly SchemaNode[]> {
  const found = selectRows(context.budget, await readSchemas(context, list.condition), schemaValue, list)
  return (await found).map((stored) => ({ id: stored.key.localId, stored }))
}

/** The registered schema with an id; null where there is none. */
export async function findSchema({ schemas }: VeraxContext, id: string): Promise<SchemaNode | null> {
  const localId = parseLocalId(id)
  const stored = localId && (await schemas.load(localId))
  return stored && { id: stored.key.localId, stored }
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
