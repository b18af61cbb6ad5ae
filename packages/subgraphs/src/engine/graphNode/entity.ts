import type { Resolve, TypeBehaviour } from '@attestry/server/interfaces/graphql/fields/fieldBehaviour.ts'
import type { FieldValue } from '../condition.ts'
import { nullValue, type EngineContext, type RowSource } from '../rowSource.ts'

/**
 * The kinds of fields, by how filters and orders compare them. Numbers are doubles (`number`), whole numbers up to 2^53
 * (`whole`) or of any length (`uint`). Hexadecimal digits after `0x` are a text in any case (`hex`), bytes (`bytes`), or
 * both (`bytesId`). `texts` and `bytesList` are lists.
 */
export type GraphNodeKind =
  | 'text'
  | 'hex'
  | 'bytes'
  | 'bytesId'
  | 'number'
  | 'whole'
  | 'uint'
  | 'bool'
  | 'enum'
  | 'texts'
  | 'bytesList'

/** The value of a field of a row. Digits stand for a number of any length; null: the row has no value. */
export type RowValue = FieldValue | readonly string[] | null

/** The part of a field that filters, orders and types are made of. */
export interface FieldShape {
  /** Its type in answers; null for the id of a related row, in whose place answers have the row. */
  readonly type: string | null
  readonly description: string | null
  readonly kind: GraphNodeKind
  /** The type of the values that filters take. */
  readonly scalar: string
}

export interface GraphNodeField<Row, Context> extends FieldShape {
  value(row: Row): RowValue
  /** Answers the field, where its value does not. */
  resolve?(...args: Parameters<Resolve<Row, Context>>): unknown
}

/** The part of an entity that filters, orders and types are made of. */
export interface EntityShape {
  /** The name of its type. */
  readonly name: string
  readonly description?: string
  readonly fields: Readonly<Record<string, FieldShape>>
  /** The entities whose filters and orders it takes, by relation. */
  readonly related?: Readonly<Record<string, string>>
}

/** An entity of a subgraph, from which types, filters, orders and lists are made. */
export interface GraphNodeEntity<Row extends object, Context extends EngineContext>
  extends RowSource<Row, Context>, EntityShape {
  readonly fields: Readonly<Record<string, GraphNodeField<Row, Context>>>
  /** The row with an id; by default the one that a list by the id has. */
  find?(context: Context, id: string): Promise<Row | null>
}

/** The entities of a subgraph, and what sets its lists apart. */
export interface GraphNodeDialect<Entity extends EntityShape = EntityShape> {
  /** By name. */
  readonly entities: Readonly<Record<string, Entity>>
  /** Whether null in a filter is a value; else it is an error. */
  readonly takesNull: boolean
  /** Whether rows are ordered by fields of related rows as well. */
  readonly ordersByRelated: boolean
  /** The arguments by which a client gets the rows behind a page, for errors. */
  readonly further: string
  /**
   * Lists of an entity whose filters graph-node takes as well, and their entities; here they are refused in a sentence.
   */
  readonly unanswered?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

/** A subgraph whose rows can be read. */
export type ReadableDialect<Context extends EngineContext> = GraphNodeDialect<
  GraphNodeEntity<object, Context>
>

type Declare = <Row, Context>(
  type: string,
  value: (row: Row) => RowValue,
  options?: Partial<Pick<GraphNodeField<Row, Context>, 'kind' | 'resolve'>> & {
    readonly description?: string
  },
) => GraphNodeField<Row, Context>

/** Makes the function that declares fields of a subgraph. @param scalars the types of filters and kinds, by type. */
export function declareFields(
  scalars: Readonly<Record<string, readonly [scalar: string, kind: GraphNodeKind]>>,
): Declare {
  return (type, value, { description, kind, resolve } = {}) => {
    const [scalar, usual] = scalars[type.replace(/!$/, '')] ?? ['String', 'text']
    const shape = { type, description: description ?? null, kind: kind ?? usual, scalar }
    return { ...shape, value, ...(resolve === undefined ? {} : { resolve }) }
  }
}

/** The field with the name of a relation: the id of the related row. */
export function keyField<Row, Context>(
  value: (row: Row) => string | null,
  kind: GraphNodeKind = 'text',
): GraphNodeField<Row, Context> {
  return { type: null, description: null, kind, scalar: 'String', value }
}

/** A value as conditions and orders compare it. */
export function comparable(kind: GraphNodeKind, value: RowValue): FieldValue {
  if (value === null) return nullValue
  if (typeof value === 'object') return listText(value)
  switch (kind) {
    case 'number':
    case 'whole':
      return Number(value)
    case 'uint':
      return sortableUint(String(value))
    case 'hex':
      return String(value).toLowerCase()
    default:
      return value
  }
}

/** A list of texts as one text, in which each stands between separators that none of them holds. */
export function listText(items: readonly string[]): string {
  return items.length === 0 ? '' : `\0${items.map((item) => item.replaceAll('\0', ' ')).join('\0\0')}\0`
}

/** Digits of a uint256 in a form whose order as text is that of the numbers. */
export function sortableUint(digits: string): string {
  return digits.padStart(78, '0')
}

/** The function that gives the values of declared fields, as conditions and orders compare them. */
export function comparedValues<Row>(
  fields: Readonly<Record<string, GraphNodeField<Row, never>>>,
): (context: unknown, row: Row, field: string) => FieldValue {
  const known = new Map(Object.entries(fields))
  return (_context, row, name) => {
    const field = known.get(name)
    if (field === undefined) throw new TypeError(`there is no field ${name}`)
    return comparable(field.kind, field.value(row))
  }
}

/** The answers of an entity's own fields. */
export function fieldBehaviours<Row, Context>(
  fields: Readonly<Record<string, GraphNodeField<Row, Context>>>,
): TypeBehaviour<Row, Context> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, { type, value, resolve }]): [string, Resolve<Row, Context>][] => {
      if (type === null) return []
      // Numbers beyond those of JSON are texts in answers.
      const isText = type.startsWith('Big')
      const answer = (row: Row) => {
        const found = value(row)
        return found !== null && isText ? String(found) : found
      }
      return [[name, resolve ?? answer]]
    }),
  )
}
