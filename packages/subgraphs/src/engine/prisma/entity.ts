import {
  rememberSelections,
  type FieldInfo,
} from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import type { Condition, FieldKind, FieldValue } from '../condition.ts'
import type { CountedGroups, EngineContext, PlacedRow, RowSource } from '../rowSource.ts'

/** A scalar field of an entity in Prisma's form. No field is ever null. */
export interface PrismaField<Row, Context> {
  readonly kind: FieldKind
  value(row: Row, context: Context): FieldValue
}

/** A field that leads to another entity, whose rows have in `foreign` what the row has in `local`. */
export interface PrismaRelation {
  readonly entity: string
  readonly isList: boolean
  readonly local: string
  readonly foreign: string
}

/** The part of an entity that types, inputs and filters are made of. */
export interface PrismaShape {
  readonly name: string
  /** The scalar fields, in the order of the interface. */
  readonly fields: Readonly<Record<string, { readonly kind: FieldKind }>>
  readonly relatedTo: Readonly<Record<string, PrismaRelation>>
  /** The root for many rows. */
  readonly many: string
}

export type PrismaShapes = Readonly<Record<string, PrismaShape>>

/** An entity in Prisma's form, from which types, inputs, roots and aggregates are made. */
export interface PrismaEntity<Row extends PlacedRow, Context extends EngineContext>
  extends Omit<RowSource<Row, Context>, 'relations' | 'ties'>, PrismaShape {
  readonly fields: Readonly<Record<string, PrismaField<Row, Context>>>
  /** The rows of a list at the root without `take`; null: all. */
  readonly takeDefault?: number
  /** Orders beside those by scalar fields. */
  readonly furtherOrders?: readonly string[]
  /** The node of a row in a query, where that is not the row. */
  nodeOf?(row: Row): unknown
  /**
   * The row with an id; null if no row has it. `needsPlace`: whether the caller uses the place of the row, whose
   * position costs a read of its own.
   */
  find(context: Context, id: string, fields: ReadonlySet<string>, needsPlace: boolean): Promise<Row | null>
  /** How many rows match, if that is known without reading them; else null. */
  count?(context: Context, condition: Condition): Promise<number | null>
  /**
   * The groups of the rows that match, if they are known without reading the rows; else null. `wanted`: how many of the
   * largest groups are needed; null: all of them.
   */
  countGroups?(
    context: Context,
    condition: Condition,
    field: string,
    wanted: number | null,
  ): Promise<CountedGroups | null>
}

/** The entities of a dialect by their names. */
export type PrismaDialect<Context extends EngineContext> = Readonly<
  Record<string, PrismaEntity<PlacedRow, Context>>
>

/** An entity that a request asks. */
export interface Asked<Context extends EngineContext> {
  readonly dialect: PrismaDialect<Context>
  readonly entity: PrismaEntity<PlacedRow, Context>
  readonly context: Context
}

/** @throws TypeError for a name that no type of the dialect has. */
export function entityOf<Shape extends PrismaShape>(
  dialect: Readonly<Record<string, Shape>>,
  name: string,
): Shape {
  const entity = dialect[name]
  if (entity === undefined) throw new TypeError(`there is no entity ${name}`)
  return entity
}

type Declare = <Row, Context>(value: (row: Row, context: Context) => FieldValue) => PrismaField<Row, Context>
const declare =
  (kind: FieldKind): Declare =>
  (value) => ({ kind, value })

/** Fields by the kind of their values. */
export const [hex, text, int, bool] = [declare('hex'), declare('text'), declare('int'), declare('bool')]

/** The function that gives the values of declared fields. */
export function valuesOf<Row, Context>(
  fields: Readonly<Record<string, PrismaField<Row, Context>>>,
): (context: Context, row: Row, field: string) => FieldValue {
  const known = new Map(Object.entries(fields))
  return (context, row, field) => {
    const declared = known.get(field)
    if (declared === undefined) throw new TypeError(`there is no field ${field}`)
    return declared.value(row, context)
  }
}

/** The scalar fields of an entity that are selected anywhere below a field. */
export function selectionOf({ name, fields }: PrismaShape): (info: FieldInfo) => ReadonlySet<string> {
  const prefix = `${name}.`
  return rememberSelections((below) => {
    if (below === null) return new Set(Object.keys(fields))
    const own = [...below].filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length))
    return new Set(own.filter((field) => fields[field] !== undefined))
  })
}
