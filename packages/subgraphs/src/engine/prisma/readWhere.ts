import {
  checkDepth,
  conditionsMax,
  everything,
  likeTest,
  notNull,
  spend,
  type Condition,
  type FieldKind,
  type FieldTest,
  type FieldValue,
  type Reading,
} from '../condition.ts'
import { parsePattern, plainText } from '../textPattern.ts'
import { entityOf, type PrismaShape, type PrismaShapes } from './entity.ts'

/**
 * The condition of a `where`, whose types GraphQL has checked. Members combine with and; a member that is absent, or an
 * empty object, constrains nothing.
 * @throws BadParameterError if a value is null, or the condition is too large.
 */
export function readWhere(shapes: PrismaShapes, entity: PrismaShape, where: unknown): Condition {
  return where == null ? everything : readEntity({ left: conditionsMax, shapes }, entity, where as Input, 0)
}

/** The parts of aggregates that `having` may ask for, and the kind of each for a field of some kind. */
const aggregateKinds: Readonly<Record<string, (kind: FieldKind) => FieldKind>> = {
  _count: () => 'int',
  _avg: () => 'int',
  _sum: () => 'int',
  _min: (kind) => kind,
  _max: (kind) => kind,
}

/**
 * The condition of a `having`, on groups: aggregates are fields named `_count.<field>` and so on.
 * @throws BadParameterError as `readWhere`.
 */
export function readHaving({ fields }: Pick<PrismaShape, 'fields'>, having: unknown): Condition {
  const reading = { left: conditionsMax }
  const read = (input: Input, depth: number): Condition => {
    checkDepth('having', depth)
    const of = Object.entries(input).flatMap(([name, value]): Condition[] => {
      const kind = fields[name]?.kind
      if (value == null) return []
      if (kind === undefined) {
        const parts = (value as readonly Input[]).map((part) => read(part, depth + 1))
        if (name === 'NOT') return parts.map((part) => ({ kind: 'not', of: part }))
        return [{ kind: name === 'OR' ? 'any' : 'all', of: parts }]
      }
      const entries = Object.entries(value)
      const own = Object.fromEntries(entries.filter(([operator]) => aggregateKinds[operator] === undefined))
      const aggregated = entries.flatMap(([operator, filter]: [string, unknown]) => {
        const kindOf = aggregateKinds[operator]
        if (kindOf === undefined || filter == null) return []
        return readFilter(reading, `${operator}.${name}`, kindOf(kind), filter as Input, false)
      })
      return [...readFilter(reading, name, kind, own, false), ...aggregated]
    })
    return { kind: 'all', of }
  }
  return having == null ? everything : read(having as Input, 0)
}

type Input = Readonly<Record<string, unknown>>

interface WhereReading extends Reading {
  readonly shapes: PrismaShapes
}

function readEntity(reading: WhereReading, entity: PrismaShape, where: Input, depth: number): Condition {
  checkDepth('where', depth)
  const { fields, relatedTo } = entity
  const parts: Condition[] = []
  for (const [name, value] of Object.entries(where)) {
    if (value === undefined) continue
    spend(reading, 1)
    const kind = fields[name]?.kind
    const relation = relatedTo[name]
    if (kind !== undefined) {
      parts.push(...readFilter(reading, name, kind, notNull(value, name) as Input, false))
    } else if (relation !== undefined) {
      parts.push(...readRelation(reading, relation.entity, name, notNull(value, name) as Input, depth))
    } else if (value !== null) {
      const of = (value as readonly Input[]).map((part) => readEntity(reading, entity, part, depth + 1))
      if (name === 'NOT') parts.push(...of.map((part): Condition => ({ kind: 'not', of: part })))
      else parts.push({ kind: name === 'OR' ? 'any' : 'all', of })
    }
  }
  return parts.length === 1 ? (parts[0] ?? everything) : { kind: 'all', of: parts }
}

function readRelation(
  reading: WhereReading,
  entity: string,
  relation: string,
  filter: Input,
  depth: number,
): Condition[] {
  return Object.entries(filter).flatMap(([quantifier, value]): Condition[] => {
    if (value == null) return []
    const of = readEntity(reading, entityOf(reading.shapes, entity), value as Input, depth + 1)
    const some = (inner: Condition): Condition => ({ kind: 'relation', relation, of: inner })
    switch (quantifier) {
      case 'every':
        return [{ kind: 'not', of: some({ kind: 'not', of }) }]
      case 'isNot':
      case 'none':
        return [{ kind: 'not', of: some(of) }]
      default:
        return [some(of)]
    }
  })
}

function readFilter(
  reading: Reading,
  field: string,
  kind: FieldKind,
  filter: Input,
  isInsensitive: boolean,
): Condition[] {
  const folds = kind === 'hex' || isInsensitive || filter['mode'] === 'insensitive'
  const test = (tested: FieldTest): Condition => ({ kind: 'field', field, test: tested })
  const fold = (value: FieldValue) => (folds && typeof value === 'string' ? value.toLowerCase() : value)
  const like = (needle: string, pattern: string): Condition => test(likeTest(field, needle, pattern, folds))
  return Object.entries(filter).flatMap(([operator, given]): Condition[] => {
    if (given === undefined || operator === 'mode') return []
    const value = notNull(given, `${field}.${operator}`)
    spend(reading, 1)
    switch (operator) {
      case 'equals': {
        // With the mode `insensitive` PostgreSQL compares by ILIKE there, wildcards included.
        const pattern = filter['mode'] === 'insensitive' ? parsePattern(String(value)) : null
        if (pattern !== null && plainText(pattern) === null) return [like(String(value), String(value))]
        const plain = pattern === null ? (value as FieldValue) : (plainText(pattern) ?? '')
        return [test({ kind: 'in', values: new Set([fold(plain)]), folds })]
      }
      case 'in':
      case 'notIn': {
        const values = value as readonly FieldValue[]
        spend(reading, values.length)
        const isIn = test({ kind: 'in', values: new Set(values.map(fold)), folds })
        return [operator === 'in' ? isIn : { kind: 'not', of: isIn }]
      }
      case 'lt':
      case 'lte':
      case 'gt':
      case 'gte':
        return [test({ kind: operator, value: fold(value as string | number) as string | number, folds })]
      case 'contains':
        return [like(String(value), `%${String(value)}%`)]
      case 'startsWith':
        return [like(String(value), `${String(value)}%`)]
      case 'endsWith':
        return [like(String(value), `%${String(value)}`)]
      default: {
        const inner = readFilter(reading, field, kind, value as Input, folds)
        return [{ kind: 'not', of: { kind: 'all', of: inner } }]
      }
    }
  })
}
