import type { RegisteredKind } from '../../store/indexQueries.ts'
import type { StoredRegistration } from '../../store/storedRecords.ts'
import type { FieldValue } from '../protocolGraphql/condition.ts'
import { createMatcher } from '../protocolGraphql/matchCondition.ts'
import { sortRows } from '../protocolGraphql/sortRows.ts'
import type { ListArguments } from './listArguments.ts'
import type { VeraxContext } from './veraxContext.ts'

/** The portals or modules whose registration is indexed. */
export async function readRegistered(
  { reader, chain, protocol, budget }: VeraxContext,
  of: RegisteredKind,
): Promise<readonly StoredRegistration[]> {
  const found = await reader.listRegistered(chain.chainId, protocol.name, of)
  const characters = found.reduce((sum, { body }) => sum + body.length, 0)
  await budget.readRows(found.length, characters)
  return found
}

/** Those of a list, in its order and then by id. */
export function selectRegistered<Row>(
  { budget }: VeraxContext,
  rows: readonly Row[],
  valueOf: (row: Row, field: string) => FieldValue,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): readonly Row[] {
  const keys = [orderBy, 'id'].map((field) => ({ field, isDescending }))
  const matching = rows.filter(createMatcher(condition, valueOf, budget.compare))
  return sortRows(matching, keys, valueOf).slice(skip, skip + first)
}
