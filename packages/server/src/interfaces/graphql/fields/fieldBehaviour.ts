import { type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql'
import type { Question } from '../../../pipeline/asOf/openView.ts'
import type { ArgumentValues, FieldHints } from '../execution/plan.ts'
import type { RequestContext } from '../requestContext.ts'

/** The third argument of a resolver, beside source and arguments. */
export interface FieldInfo {
  readonly hints: FieldHints
}

export type Resolve<Source, Context = RequestContext> = (
  source: Source,
  values: ArgumentValues,
  context: Context,
  info: FieldInfo,
) => unknown

/** The resolution of a field whose value is not a property of its source. */
export type FieldBehaviour<Source, Context = RequestContext> =
  | Resolve<Source, Context>
  | FieldParts<Source, Context>

/**
 * `writeJson` serves the most used fields: it writes the value's JSON text, and is allowed only for fields that can
 * neither fail nor wait.
 */
export interface FieldParts<Source, Context = RequestContext> {
  readonly resolve?: Resolve<Source, Context>
  readonly writeJson?: (source: Source, context: Context) => string
  /**
   * The rows that the field's arguments ask for: its part in the cost of a query, multiplied by those around it.
   * Arguments that the resolver refuses may have any cost.
   */
  readonly size?: (values: ArgumentValues) => number
  /** Of a field of `Query`: what its arguments ask about; everything by default. */
  readonly about?: (values: ArgumentValues) => Question
}

export type TypeBehaviour<Source, Context = RequestContext> = Readonly<
  Record<string, FieldBehaviour<Source, Context>>
>

/**
 * Attaches behaviours to the fields of a schema, by type and field.
 * @throws TypeError if the schema has no such field.
 */
export function addBehaviours(
  schema: GraphQLSchema,
  behaviours: Readonly<Record<string, TypeBehaviour<never, never>>>,
): void {
  for (const [typeName, fields] of Object.entries(behaviours)) {
    const type = schema.getType(typeName)
    for (const [fieldName, behaviour] of Object.entries(fields)) {
      const { resolve, writeJson, size, about }: FieldParts<never, never> =
        typeof behaviour === 'function' ? { resolve: behaviour } : behaviour
      const field = isObjectType(type) ? type.getFields()[fieldName] : undefined
      if (field === undefined) throw new TypeError(`the schema has no field ${typeName}.${fieldName}`)
      field.extensions = { ...field.extensions, writeJson, size, about }
      const resolver = resolve ?? (writeJson && parseWritten(writeJson))
      // The sources of a type's fields are the results of resolvers of that type.
      if (resolver !== undefined)
        field.resolve = resolver as unknown as GraphQLFieldResolver<unknown, unknown>
    }
  }
}

/** The value of a field with `writeJson`, for executors that do not know `writeJson`. */
function parseWritten<Source, Context>(
  writeJson: (source: Source, context: Context) => string,
): Resolve<Source, Context> {
  return (source, _values, context) => JSON.parse(writeJson(source, context)) as unknown
}

/**
 * Finds something out about the selections below a field once for each field of a plan: every request asks for it, or
 * every row. `below` is null if the selections are not known.
 */
export function rememberSelections<Result extends NonNullable<unknown>>(
  find: (below: FieldHints['below']) => Result,
): (info: FieldInfo) => Result {
  const known = new WeakMap<FieldHints, Result>()
  return ({ hints }) => {
    // Executors other than ours give no hints.
    if ((hints as FieldHints | undefined) === undefined) return find(null)
    const result = known.get(hints) ?? find(hints.below)
    known.set(hints, result)
    return result
  }
}
