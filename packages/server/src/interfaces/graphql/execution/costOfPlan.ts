import type { ObjectPlan, OperationPlan } from './plan.ts'

/** No page has more rows than this; a field refuses larger pages. */
const pageSizeMax = 1000

/**
 * The cost of a query: the sum of all page sizes, nested ones multiplied by those around them. A page of no rows counts
 * as one, since its field still reads the store. `@skip` and `@include` are ignored.
 */
export function costOfPlan({ root }: OperationPlan, variables: Readonly<Record<string, unknown>>): number {
  return costOfObject(root, variables)
}

function costOfObject({ fields }: ObjectPlan, variables: Readonly<Record<string, unknown>>): number {
  let cost = 0
  for (const field of fields) {
    const { kind } = innermost(field.type)
    if (kind.name !== 'object') continue
    const inside = costOfObject(kind.plan, variables)
    if (field.sizeOf === null) {
      cost += inside
    } else {
      const size = Math.min(Math.max(readSize(field, variables), 1), pageSizeMax)
      cost += size * (1 + inside)
    }
  }
  return cost
}

function readSize(field: ObjectPlan['fields'][number], variables: Readonly<Record<string, unknown>>): number {
  try {
    return field.sizeOf?.(field.readArguments(variables)) ?? 0
  } catch {
    // The field will be refused for its arguments, so it costs nothing.
    return 0
  }
}

function innermost(type: ObjectPlan['fields'][number]['type']): typeof type {
  return type.kind.name === 'list' ? innermost(type.kind.item) : type
}
