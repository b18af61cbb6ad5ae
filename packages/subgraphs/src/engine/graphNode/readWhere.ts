import {
  checkDepth,
  conditionsMax,
  everything,
  isOneOf,
  likeTest,
  spend,
  type BytesPart,
  type Condition,
  type FieldTest,
  type FieldValue,
  type Reading,
} from '../condition.ts'

type Input = Readonly<Record<string, unknown>>

/** How the filters of one subgraph are read. */
export interface GraphNodeDialect<Entity extends string> {
  /** The entity that a member of a filter reaches by the name of a relation; undefined for a filter of a field. */
  readonly relatedOf: (entity: Entity, name: string) => Entity | undefined
  /** A value as it is read; throws where null is no value. */
  readonly given: (value: unknown, name: string) => unknown
  /**
   * The condition of a filter of a field.
   * @param own the field of the entity; `filter.field` stands behind the names of the relations to it.
   */
  readonly readFilter: (reading: Reading, entity: Entity, own: string, filter: GraphNodeFilter) => Condition
}

/**
 * Makes the function that reads a `where` in graph-node's form, whose types GraphQL has checked. Fields of a related
 * record are named `<relation>.<field>`.
 */
export function createWhereReader<Entity extends string>({
  relatedOf,
  given,
  readFilter,
}: GraphNodeDialect<Entity>): (entity: Entity, where: unknown) => Condition {
  function read(reading: Reading, entity: Entity, prefix: string, where: Input, depth: number): Condition {
    checkDepth('where', depth)
    const of = Object.entries(where)
      .filter(([, value]) => value !== undefined)
      .map(([name, sent]): Condition => {
        spend(reading, 1)
        const value = given(sent, name)
        if (name === 'and' || name === 'or') {
          const parts = ((value as readonly unknown[] | null) ?? []).map((part) =>
            read(reading, entity, prefix, (given(part, name) ?? {}) as Input, depth + 1),
          )
          return { kind: name === 'or' ? 'any' : 'all', of: parts }
        }
        const related = relatedOf(entity, name)
        if (related !== undefined) {
          return read(reading, related, `${prefix}${name.slice(0, -1)}.`, (value ?? {}) as Input, depth + 1)
        }
        // Names of fields have no underscore: what follows the first one is the operator.
        const [own = '', ...suffix] = name.split('_')
        const filter = { name, field: `${prefix}${own}`, operator: suffix.join('_'), given: value }
        return readFilter(reading, entity, own, filter)
      })
    return { kind: 'all', of }
  }
  return (entity, where) =>
    where == null ? everything : read({ left: conditionsMax }, entity, '', where as Input, 0)
}

/** A suffix of graph-node's filters that looks for a part of a text: a negation, the part, and whether case counts. */
const partOperator = /^(not_)?(contains|starts_with|ends_with)(_nocase)?$/

/** The pattern of texts with `needle` at a place that `partOperator` names. */
export function patternOfPart(part: string, needle: string): string {
  const escaped = needle.replaceAll(/[%_\\]/g, '\\$&')
  return `${part === 'starts_with' ? '' : '%'}${escaped}${part === 'ends_with' ? '' : '%'}`
}

/** A member of a `where` in graph-node's form. */
export interface GraphNodeFilter {
  /** As the client wrote it. */
  readonly name: string
  /** The field of rows. */
  readonly field: string
  /** What follows the name of the field, without the underscore between them; empty: equals. */
  readonly operator: string
  readonly given: unknown
}

/**
 * The condition of a filter on a field with one value.
 * @param valueOf gives the value as rows have it; throws for one that is none of the field.
 */
export function readFieldFilter(
  reading: Reading,
  { field, operator, given }: GraphNodeFilter,
  folds: boolean,
  valueOf: (value: unknown) => FieldValue,
  testOfPart: (part: BytesPart, isNocase: boolean) => FieldTest,
): Condition {
  const test = (tested: FieldTest): Condition => ({ kind: 'field', field, test: tested })
  switch (operator) {
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return test({ kind: operator, value: valueOf(given) as string | number, folds })
    case '':
    case 'not':
    case 'in':
    case 'not_in': {
      const values = operator.endsWith('in') ? (given as readonly unknown[]) : [given]
      spend(reading, values.length)
      const isIn = test({ kind: 'in', values: new Set(values.map(valueOf)), folds })
      return negated(isIn, operator.startsWith('not'))
    }
    default: {
      const [, negation, part = '', nocase] = partOperator.exec(operator) ?? []
      return negated(test(testOfPart(part as BytesPart, nocase !== undefined)), negation !== undefined)
    }
  }
}

/**
 * The condition of a filter on a field that is a list: it holds all of the given items, or none of them, as with
 * graph-node; or it is the given list.
 * @param listText a list as rows have it, as one text.
 */
export function readListFilter(
  reading: Reading,
  { name, field, operator, given }: GraphNodeFilter,
  textOf: (item: unknown) => string,
  listText: (items: readonly string[]) => string,
): Condition {
  const values = given as readonly unknown[]
  spend(reading, values.length)
  const items = values.map(textOf)
  const isNegated = operator.startsWith('not')
  if (!operator.includes('contains')) return negated(isOneOf(field, [listText(items)]), isNegated)
  const folds = operator.endsWith('nocase')
  const of = items.map((item): Condition => {
    const test = likeTest(name, item, patternOfPart('contains', listText([item])), folds)
    return negated({ kind: 'field', field, test }, isNegated)
  })
  return { kind: 'all', of }
}

function negated(of: Condition, isNegated: boolean): Condition {
  return isNegated ? { kind: 'not', of } : of
}
