import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { FieldCondition, FieldOperator } from '@attestry/core/model/fieldCondition.ts'
import { parseFieldPath } from '@attestry/core/model/fieldValues.ts'
import {
  checkConditionCount,
  namedOperators,
  readListed,
} from '../../../pipeline/parameters/fieldParameter.ts'
import { quoteInput } from '../../../pipeline/quoteInput.ts'

/** The input object `FieldFilter`; GraphQL has checked the types of its members. */
export type FieldFilter = { readonly name: string } & {
  readonly [Operator in FieldOperator]?: (Operator extends 'in' ? readonly string[] : string) | null
}

const operators: readonly FieldOperator[] = ['equals', ...namedOperators]

/**
 * Reads the member `fields` of `AttestationFilter`, by the rules of the query parameters `field[…]`.
 * @throws BadParameterError with the place in the list.
 */
export function readFieldFilters(filters: readonly FieldFilter[]): readonly FieldCondition[] {
  const conditions = filters.flatMap(readFieldFilter)
  checkConditionCount(conditions)
  return conditions
}

function readFieldFilter(filter: FieldFilter, index: number): FieldCondition[] {
  const label = `fields[${index}]`
  const path = parseFieldPath(filter.name)
  if (path === null) {
    throw new BadParameterError(
      `${label}.name must have a backslash before each bracket and backslash of the name; it was ${quoteInput(filter.name)}.`,
    )
  }
  const conditions = operators.flatMap((operator) => {
    const operand = filter[operator]
    if (operand === undefined || operand === null) return []
    const values =
      typeof operand === 'string' ? [operand] : readListed(`${label}.${operator}`, operand, 'another value')
    return [{ path, operator, values }]
  })
  if (conditions.length === 0)
    throw new BadParameterError(`${label} has no condition; give one of ${operators.join(', ')}.`)
  return conditions
}
