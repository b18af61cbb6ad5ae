import { parseLocalId } from '../../model/compositeId.ts'
import { everySchema } from '../../store/indexQueries.ts'
import type { StoredSchema } from '../../store/storedRecords.ts'
import { boundsOf, listAlternatives } from '../protocolGraphql/alternatives.ts'
import { createValues } from '../protocolGraphql/fieldValues.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import { loadAll, sizeOfSchema } from '../protocolGraphql/readByIds.ts'
import { sortRows } from '../protocolGraphql/sortRows.ts'
import type { ListArguments } from '../protocolGraphql/listArguments.ts'
import type { VeraxContext } from './veraxContext.ts'

/** The value of a field that filters and orders take. */
export const schemaValue = createValues<StoredSchema>({
  id: ({ key }) => key.localId,
  name: ({ name }) => name,
  description: ({ description }) => description,
  context: ({ context }) => context ?? '',
  schema: ({ rawText }) => rawText,
  attestationCounter: ({ attestationCount }) => attestationCount,
})

/**
 * The schemas of a list, in its order and then by id. They are few: all of the chain are read, but where ids are given.
 */
export async function listSchemas(
  context: VeraxContext,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): Promise<readonly StoredSchema[]> {
  const isMatch = createMatcher(condition, schemaValue, context.budget.compare)
  const matching: StoredSchema[] = []
  for await (const batch of readSchemas(context, condition)) {
    await context.budget.readRows(batch, sizeOfSchema)
    matching.push(...(await context.budget.filter(batch, isMatch)))
  }
  const keys = [orderBy, 'id'].map((field) => ({ field, isDescending }))
  return sortRows(matching, keys, schemaValue).slice(skip, skip + first)
}

/** Schemas among which are all that match. */
async function* readSchemas(
  { reader, chain, protocol, schemas }: VeraxContext,
  condition: ListArguments['condition'],
): AsyncGenerator<readonly StoredSchema[]> {
  const lists = listAlternatives(condition).map(({ tests }) => boundsOf(tests, ['id']).values)
  if (lists.every((values) => values !== null)) {
    const ids = new Set(lists.flatMap((values) => [...values].map((id) => parseLocalId(String(id)))))
    const found = await loadAll(
      schemas,
      [...ids].filter((id) => id !== null),
    )
    yield found.filter((schema) => schema !== null)
    return
  }
  const filter = { ...everySchema, chainId: chain.chainId, protocol: chain.isShared ? protocol.name : null }
  let after = null
  for (let hasMore = true; hasMore;) {
    const slice: Awaited<ReturnType<typeof reader.sliceSchemas>> = await reader.sliceSchemas({
      filter,
      order: 'oldestFirst',
      after,
      limit: 1_000,
    })
    yield slice.rows
    after = slice.scannedTo ?? slice.rows.at(-1)?.place ?? null
    hasMore = slice.hasMore
  }
}
