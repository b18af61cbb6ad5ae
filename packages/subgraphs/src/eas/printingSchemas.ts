import { walkSlices } from '@attestry/server/records/slices.ts'
import type { LocalId } from '@attestry/core/model/compositeId.ts'
import { everySchema } from '@attestry/core/index/indexQueries.ts'
import type { RowPlace } from '@attestry/core/index/storedRecords.ts'
import type { FieldCondition } from '../engine/condition.ts'
import type { EasContext } from './easContext.ts'

/** Most schemas that attestations are then looked for under. */
const schemasMax = 100

/**
 * The schemas under which `decodedDataJson` can be the whole text that a test asks for: those with fields of the same
 * names. null where no test asks for a text with names, or there are too many such schemas.
 */
export async function findPrintingSchemas(
  context: EasContext,
  tests: readonly FieldCondition[],
): Promise<readonly LocalId[] | null> {
  const { reader, chain, protocol, budget } = context
  const names = tests.map(namesOf).find((each) => each !== null)
  if (names === undefined) return null
  const found: LocalId[] = []
  const filter = { ...everySchema, chainId: chain.chainId, protocol: protocol.name }
  const slice = (after: RowPlace | null, limit: number) =>
    reader.sliceSchemas({ filter, order: 'newestFirst', after, limit })
  for await (const rows of walkSlices(slice)) {
    await budget.readRows(rows)
    for (const { key, rawText } of rows) {
      if (JSON.stringify(protocol.printedNames(rawText)) === names) found.push(key.localId)
    }
    if (found.length > schemasMax) return null
  }
  return found
}

/** The names of the fields in the one text that a test asks for, as JSON; null where it asks for none, or for any. */
function namesOf({ field, test }: FieldCondition): string | null {
  if (field !== 'decodedDataJson' || test.kind !== 'in' || test.folds || test.values.size !== 1) return null
  try {
    const items = JSON.parse(String([...test.values][0])) as unknown
    if (!Array.isArray(items)) return null
    return JSON.stringify(items.map((item: { readonly name?: unknown } | null) => item?.name ?? ''))
  } catch {
    return null
  }
}
