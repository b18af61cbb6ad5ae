import { BadParameterError } from '../../errors/apiErrors.ts'
import type { ArgumentValues } from '../graphql/execution/plan.ts'
import type { Condition } from '../protocolGraphql/condition.ts'
import type { AgentEntity } from './models.ts'
import { readWhere } from './readWhere.ts'

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
 * @throws BadParameterError
 */
export function readListArguments(entity: AgentEntity, values: ArgumentValues): ListArguments {
  const first = Number(values['first'] ?? firstDefault)
  const skip = Number(values['skip'] ?? 0)
  if (first < 1 || first > firstMax) {
    throw new BadParameterError(`first is ${first}; give 1 to ${firstMax}, and ask for more rows by skip.`)
  }
  if (skip < 0) throw new BadParameterError(`skip is ${skip}; give 0 or more.`)
  const { orderBy, orderDirection } = values
  return {
    condition: readWhere(entity, values['where']),
    orderBy: typeof orderBy === 'string' ? orderBy : 'id',
    isDescending: orderDirection === 'desc',
    first,
    skip,
  }
}
