import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { ArgumentValues } from '@attestry/server/interfaces/graphql/execution/plan.ts'
import { everything, type Condition } from '../condition.ts'
import type { OrderKey } from '../sortRows.ts'
import type { PrismaShape, PrismaShapes } from './entity.ts'
import { readWhere } from './readWhere.ts'

export interface ListArguments {
  /** Its relations are not resolved yet. */
  readonly condition: Condition
  /** Empty if the request names no order. */
  readonly orderBy: readonly OrderKey[]
  /** null: all rows. Below 0: that many from the end. */
  readonly take: number | null
  readonly skip: number
  /** The id of the row to begin with. */
  readonly cursor: string | null
  readonly distinct: readonly string[]
}

/**
 * The arguments of a list.
 * @param takeDefault what `take: 0` and no `take` mean; null: all rows.
 * @throws BadParameterError
 */
export function readListArguments(
  shapes: PrismaShapes,
  entity: PrismaShape,
  values: ArgumentValues,
  takeDefault: number | null = null,
): ListArguments {
  const { where, orderBy, take, skip, cursor, distinct } = values
  const skipped = typeof skip === 'number' ? skip : 0
  if (skipped < 0) throw new BadParameterError(`skip is ${skipped}; give 0 or more.`)
  const unique = cursor == null ? null : Object.values(cursor as Readonly<Record<string, string | null>>)[0]
  if (unique === undefined) throw new BadParameterError('cursor has no id; give one, or leave cursor out.')
  return {
    condition: readWhere(shapes, entity, where),
    orderBy: readOrder(orderBy),
    take: typeof take === 'number' && take !== 0 ? take : takeDefault,
    skip: skipped,
    cursor: unique,
    distinct: (distinct as readonly string[] | null | undefined) ?? [],
  }
}

/** The list of all rows. */
export const wholeList: ListArguments = {
  condition: everything,
  orderBy: [],
  take: null,
  skip: 0,
  cursor: null,
  distinct: [],
}

/** The keys of `orderBy`, in their order. */
export function readOrder(orderBy: unknown): OrderKey[] {
  return ((orderBy as readonly object[] | null | undefined) ?? []).flatMap((part) => readKeys(part, ''))
}

function readKeys(part: object, prefix: string): OrderKey[] {
  return Object.entries(part).flatMap(([name, value]: [string, unknown]) => {
    const field = `${prefix}${name}`
    if (value == null) return []
    return typeof value === 'object'
      ? readKeys(value, `${field}.`)
      : [{ field, isDescending: value === 'desc' }]
  })
}

/** The id that `where` of one row names. @throws BadParameterError without one. */
export function readUniqueId(values: ArgumentValues): string {
  const id = Object.values((values['where'] ?? {}) as Readonly<Record<string, unknown>>)[0]
  if (typeof id !== 'string') throw new BadParameterError('where has no id; give the id of the record.')
  return id
}
