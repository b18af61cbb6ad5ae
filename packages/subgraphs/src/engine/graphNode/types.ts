import { rootOf } from '../rowSource.ts'
import type { EntityShape, FieldShape, GraphNodeDialect, GraphNodeKind } from './entity.ts'

/** The types that graph-node gives every subgraph. @param height what `Block_height` means here. */
export function commonTypes(height: string): string {
  return `scalar Bytes
scalar BigInt

enum OrderDirection {
  asc
  desc
}

${JSON.stringify(height)}
input Block_height {
  hash: Bytes
  number: Int
  number_gte: Int
}

type _Meta_ {
  block: _Block_!
  "A name for the records of this protocol on this chain."
  deployment: String!
  "Whether the indexer of the chain has stopped."
  hasIndexingErrors: Boolean!
}

type _Block_ {
  number: Int!
  "Unix seconds; null while it is not known."
  timestamp: Int
  "null where the interface does not tell it."
  hash: Bytes
  "Always null."
  parentHash: Bytes
}`
}

const comparisons = ['_gt', '_lt', '_gte', '_lte']
const patterns = ['contains', 'starts_with', 'ends_with'].flatMap((name) =>
  [`_${name}`, `_not_${name}`].flatMap((operator) => [operator, `${operator}_nocase`]),
)
/** Of a list; graph-node has no more. */
const listOperators = ['', '_not', '_contains', '_contains_nocase', '_not_contains', '_not_contains_nocase']

const patternKinds: readonly GraphNodeKind[] = ['text', 'hex', 'bytes', 'bytesId']

function isList({ kind }: FieldShape): boolean {
  return kind === 'texts' || kind === 'bytesList'
}

/** The suffixes of the filters of a field that take one value. */
function operatorsOf(kind: GraphNodeKind): readonly string[] {
  if (kind === 'bool' || kind === 'enum') return ['', '_not']
  return ['', '_not', ...comparisons, ...(patternKinds.includes(kind) ? patterns : [])]
}

/**
 * The type, the filter and the order of each entity.
 * @param further the members of types beside the fields that filters take.
 */
export function entityTypes(
  { entities, ordersByRelated, unanswered = {} }: GraphNodeDialect,
  further: Readonly<Record<string, string>>,
): string[] {
  return Object.values(entities).flatMap((entity) => [
    objectType(entity, further[entity.name] ?? ''),
    filterType(entity, unanswered[entity.name]),
    orderType(entity, ordersByRelated ? entities : {}),
  ])
}

/** The roots of each entity: one row by its id, and a list. @param further arguments of both. */
export function entityRoots({ entities }: GraphNodeDialect, id: string, further: string): string {
  const roots = Object.keys(entities).flatMap((entity) => [
    `${rootOf(entity)}(id: ${id}!, ${further}): ${entity}`,
    `${rootOf(entity)}s(${listArguments(entity)}, ${further}): [${entity}!]!`,
  ])
  return roots.join('\n  ')
}

function objectType({ name, description, fields }: EntityShape, further: string): string {
  const members = Object.entries(fields).flatMap(([field, { type, description: text }]) => {
    if (type === null) return []
    return `${describe(text)}${field}: ${type}`
  })
  return `${describe(description ?? null)}type ${name} {\n  ${[...members, further].join('\n  ')}\n}`
}

function describe(description: string | null): string {
  return description === null ? '' : `${JSON.stringify(description)}\n`
}

/** The type of `where` that graph-node makes of an entity; clients hold its name and those of its members. */
function filterType(
  { name: entity, fields, related = {} }: EntityShape,
  unanswered: Readonly<Record<string, string>> = {},
): string {
  const members = Object.entries(fields).flatMap(([name, field]) => {
    const { scalar, kind } = field
    if (isList(field)) return listOperators.map((operator) => `${name}${operator}: [${scalar}!]`)
    return [
      ...operatorsOf(kind).map((operator) => `${name}${operator}: ${scalar}`),
      ...['_in', '_not_in'].map((operator) => `${name}${operator}: [${scalar}!]`),
    ]
  })
  const relations = Object.entries({ ...related, ...unanswered }).map(
    ([name, of]) => `${name}_: ${of}_filter`,
  )
  const groups = ['and', 'or'].map((name) => `${name}: [${entity}_filter]`)
  return `input ${entity}_filter {\n  ${[...members, ...relations, ...groups].join('\n  ')}\n}`
}

/** The type of `orderBy` of an entity. @param entities those by whose fields rows that they belong to are ordered. */
function orderType(
  { name, fields, related = {} }: EntityShape,
  entities: Readonly<Record<string, EntityShape>>,
): string {
  const ofRelated = Object.entries(related).flatMap(([relation, of]) =>
    Object.entries(entities[of]?.fields ?? {}).flatMap(([field, shape]) =>
      isList(shape) ? [] : [`${relation}__${field}`],
    ),
  )
  return `enum ${name}_orderBy {\n  ${[...Object.keys(fields), ...ofRelated].join('\n  ')}\n}`
}

/** The arguments of a list of an entity. */
export function listArguments(entity: string): string {
  return `first: Int = 100, skip: Int = 0, where: ${entity}_filter, orderBy: ${entity}_orderBy, orderDirection: OrderDirection`
}
