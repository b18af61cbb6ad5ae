import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/graphql/execution/plan.ts'
import type { Budget } from '../budget.ts'
import type { Condition, FieldValue } from '../condition.ts'
import { createMatcher } from '../matchCondition.ts'
import { sortRows } from '../sortRows.ts'

/** The arguments of a list in graph-node's form. */
export interface ListArguments {
  readonly condition: Condition
  readonly orderBy: string
  readonly isDescending: boolean
  readonly first: number
  readonly skip: number
}

/** Rows of one page: as with graph-node 100 where the request does not say, and 1,000 at most. */
const firstDefault = 100
const firstMax = 1_000

/**
 * The arguments of a list; null is as good as none. Without an order it is ascending by id, as graph-node's.
 * @param readWhere reads the argument `where`.
 * @param further the arguments by which a client gets the rows behind a page.
 * @throws BadParameterError
 */
export function readListArguments(
  values: ArgumentValues,
  readWhere: (where: unknown) => Condition,
  further: string,
): ListArguments {
  const { orderBy, orderDirection } = values
  const first = Number(values['first'] ?? firstDefault)
  const skip = Number(values['skip'] ?? 0)
  if (first < 1 || first > firstMax) {
    throw new BadParameterError(
      `first is ${first}; give 1 to ${firstMax}, and ask for more rows by ${further}.`,
    )
  }
  if (skip < 0) throw new BadParameterError(`skip is ${skip}; give 0 or more.`)
  return {
    condition: readWhere(values['where']),
    orderBy: typeof orderBy === 'string' ? orderBy : 'id',
    isDescending: orderDirection === 'desc',
    first,
    skip,
  }
}

/** The rows of a list among rows that were read whole, in its order and then by id. */
export async function selectRows<Row>(
  budget: Budget,
  rows: readonly Row[],
  valueOf: (row: Row, field: string) => FieldValue,
  { condition, orderBy, isDescending, first, skip }: ListArguments,
): Promise<readonly Row[]> {
  const matching = await budget.filter(rows, createMatcher(condition, valueOf, budget.compare))
  const keys = [orderBy, 'id'].map((field) => ({ field, isDescending }))
  return sortRows(matching, keys, valueOf).slice(skip, skip + first)
}
