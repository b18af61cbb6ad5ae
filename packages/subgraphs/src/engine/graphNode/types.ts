import type { EntityShape, FieldShape, GraphNodeKind } from './entity.ts'

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

/** The object type of an entity. @param further members beside its fields. */
export function objectType({ name, description, fields }: EntityShape, further: string): string {
  const members = Object.entries(fields).flatMap(([field, { type, description: text }]) => {
    if (type === null) return []
    return `${describe(text)}${field}: ${type}`
  })
  return `${describe(description ?? null)}type ${name} {\n  ${[...members, further].join('\n  ')}\n}`
}

function describe(description: string | null): string {
  return description === null ? '' : `${JSON.stringify(description)}\n`
}

/** The roots of an entity: one row by its id, and a list. @param further arguments of both. */
export function rootFields(root: string, entity: string, id: string, further: string): string {
  return `${root}(id: ${id}!, ${further}): ${entity}\n  ${root}s(${listArguments(entity)}, ${further}): [${entity}!]!`
}

/**
 * The type of `where` that graph-node makes of an entity; clients hold its name and those of its members.
 * @param unanswered lists whose filters graph-node takes as well, by the names of the members.
 */
export function filterType(
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

/** The type of `orderBy` of an entity. @param related the entities by whose fields it is ordered too, by relation. */
export function orderType(
  { name, fields }: EntityShape,
  related: Readonly<Record<string, EntityShape>> = {},
): string {
  const ofRelated = Object.entries(related).flatMap(([relation, shape]) =>
    Object.entries(shape.fields).flatMap(([field, of]) => (isList(of) ? [] : [`${relation}__${field}`])),
  )
  return `enum ${name}_orderBy {\n  ${[...Object.keys(fields), ...ofRelated].join('\n  ')}\n}`
}

/** The arguments of a list of an entity. */
export function listArguments(entity: string): string {
  return `first: Int = 100, skip: Int = 0, where: ${entity}_filter, orderBy: ${entity}_orderBy, orderDirection: OrderDirection`
}
