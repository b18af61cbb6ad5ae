import type { Dialect } from '../port/dialect.ts'
import type { SqlText } from '../port/reads.ts'
import { postingArm, withRowCondition } from './attestationArms.ts'
import type { AttestationWalk } from './attestationPage.ts'
import type { FieldList, ResolvedField } from './fieldLists.ts'
import type { WalkArm } from './rowWalk.ts'

/** Most lists in which each row is looked up; decoding its payload costs less than more look-ups. */
const lookedUpMax = 16

/** The lists of a condition as disjoint arms. */
export function fieldArms(
  dialect: Dialect,
  { isDisjoint }: Pick<ResolvedField, 'isDisjoint'>,
  lists: readonly FieldList[],
): WalkArm[] {
  const isOneChain = areOnOneChain(lists)
  return lists.map((list, index) => {
    const { from, condition } = listRange(list, isOneChain)
    const chain = isOneChain ? String(list.chainId) : 'c.chain_id'
    const arm = postingArm(dialect, from, chain, condition, list.chainId)
    const earlier = isDisjoint ? [] : lists.slice(0, index).filter((each) => each.schemaId === list.schemaId)
    if (earlier.length === 0) return arm
    const { sql, parameters } = isIn(earlier, 'k')
    return withRowCondition(arm, { sql: `NOT ${sql}`, parameters })
  })
}

/** The lists as the walks of a page. */
export function fieldWalks(lists: readonly FieldList[]): AttestationWalk[] {
  const isOneChain = areOnOneChain(lists)
  return lists.map((list) => {
    const { from, condition } = listRange(list, isOneChain)
    const chainId = isOneChain ? list.chainId : null
    return { table: from, condition: condition.sql, parameters: condition.parameters, chainId }
  })
}

function areOnOneChain(lists: readonly FieldList[]): boolean {
  return lists.every(({ chainId }) => chainId === lists[0]?.chainId)
}

/**
 * The range of a list, of the alias `k`. Postings do not hold their chain: where lists of several chains are merged, it
 * comes from the row `c` of the chain. A literal would make SQLite sort the rows of each second.
 */
function listRange(
  { valueId, chainId }: FieldList,
  isOneChain: boolean,
): { readonly from: string; readonly condition: SqlText } {
  return isOneChain
    ? { from: 'field_posting k', condition: { sql: 'k.value_id = ?', parameters: [valueId] } }
    : {
        from: 'chain c CROSS JOIN field_posting k',
        condition: { sql: 'c.chain_id = ? AND k.value_id = ?', parameters: [chainId, valueId] },
      }
}

/** The condition on a row `a` that it is in one of the lists; null where its payload must be looked at. */
export function fieldCondition({ lists }: ResolvedField): SqlText | null {
  return lists === null || lists.length > lookedUpMax ? null : isIn(lists, 'a')
}

function isIn(lists: readonly FieldList[], row: 'a' | 'k'): SqlText {
  const ids = lists.map(() => '?').join(', ')
  return {
    sql:
      `EXISTS (SELECT 1 FROM field_posting p WHERE p.value_id IN (${ids}) ` +
      `AND p.attest_timestamp = ${row}.attest_timestamp AND p.id = ${row}.id)`,
    parameters: lists.map(({ valueId }) => valueId),
  }
}
