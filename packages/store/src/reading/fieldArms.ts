import type { Dialect } from '../port/dialect.ts'
import type { SqlText } from '../port/reads.ts'
import { postingArm, withRowCondition } from './attestationArms.ts'
import type { FieldList, ResolvedField } from './fieldLists.ts'
import type { WalkArm } from './rowWalk.ts'
import { placeholders, term } from './sqlTerms.ts'

/** Most lists in which each row is looked up; decoding its payload costs less than more look-ups. */
const lookedUpMax = 16

/** The lists of a condition as disjoint arms. */
export function fieldArms(
  dialect: Dialect,
  { isDisjoint }: Pick<ResolvedField, 'isDisjoint'>,
  lists: readonly FieldList[],
): WalkArm[] {
  const isOneChain = lists.every(({ chainId }) => chainId === lists[0]?.chainId)
  return lists.map((list, index) => {
    const { valueId, schemaId, chainId } = list
    const arm = isOneChain
      ? postingArm(dialect, 'field_posting k', String(chainId), term('k.value_id = ?', valueId), chainId)
      : chainArm(dialect, list)
    const earlier = isDisjoint ? [] : lists.slice(0, index).filter((each) => each.schemaId === schemaId)
    if (earlier.length === 0) return arm
    const { sql, parameters } = isIn(dialect, earlier, 'k')
    return withRowCondition(arm, { sql: `NOT ${sql}`, parameters })
  })
}

/**
 * Postings do not hold their chain: if lists of several chains are merged, it comes from the row `c` of the chain. A
 * literal would make SQLite sort the rows of each second.
 */
function chainArm(dialect: Dialect, { valueId, chainId }: FieldList): WalkArm {
  const range = term('c.chain_id = ? AND k.value_id = ?', chainId, valueId)
  return postingArm(dialect, 'chain c CROSS JOIN field_posting k', 'c.chain_id', range, chainId)
}

/** Whether a row is looked up in the lists; otherwise its payload must be looked at. */
export function isLookedUp(lists: ResolvedField['lists']): lists is readonly FieldList[] {
  return lists !== null && lists.length <= lookedUpMax
}

/** The condition on a row `a` that it is in one of the lists; null if its payload must be looked at. */
export function fieldCondition(dialect: Dialect, lists: ResolvedField['lists']): SqlText | null {
  return isLookedUp(lists) ? isIn(dialect, lists, 'a') : null
}

function isIn(dialect: Dialect, lists: readonly FieldList[], row: 'a' | 'k'): SqlText {
  return {
    sql:
      `EXISTS (SELECT 1 FROM field_posting p WHERE p.value_id IN (${placeholders(lists)}) ` +
      `AND p.attest_timestamp = ${row}.attest_timestamp AND p.id = ${row}.id${dialect.lookUp})`,
    parameters: lists.map(({ valueId }) => valueId),
  }
}
