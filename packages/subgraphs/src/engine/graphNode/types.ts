import type { FieldKind } from '../condition.ts'

/**
 * How a field of a subgraph is compared: `int` up to 2^53; `uint` and `uint64` integers beyond it; `decimal` a number
 * with a fraction, compared as a double; `bytes` whole bytes; `texts` and `bytesList` lists.
 */
export type GraphNodeKind =
  | FieldKind
  | 'uint'
  | 'uint64'
  | 'decimal'
  | 'bytes'
  | 'texts'
  | 'bytesList'
  | 'enum'

/** A field that filters and orders of a subgraph take. */
export interface GraphNodeField {
  readonly scalar: string
  readonly kind: GraphNodeKind
}

type Fields = Readonly<Record<string, GraphNodeField>>

const comparisons = ['_gt', '_lt', '_gte', '_lte']
const patterns = ['contains', 'starts_with', 'ends_with'].flatMap((name) =>
  [`_${name}`, `_not_${name}`].flatMap((operator) => [operator, `${operator}_nocase`]),
)
/** Of a list; graph-node has no more. */
const listOperators = ['', '_not', '_contains', '_contains_nocase', '_not_contains', '_not_contains_nocase']

const patternKinds: readonly GraphNodeKind[] = ['text', 'hex', 'bytes']

/** The suffixes of the filters of a field that take one value. */
function operatorsOf(kind: GraphNodeKind): readonly string[] {
  if (kind === 'bool' || kind === 'enum') return ['', '_not']
  return ['', '_not', ...comparisons, ...(patternKinds.includes(kind) ? patterns : [])]
}

/**
 * The type of `where` that graph-node makes of an entity; clients hold its name and those of its members.
 * @param related the entities whose filters it takes, by the names of the members.
 */
export function filterType(
  entity: string,
  fields: Fields,
  related: Readonly<Record<string, string>> = {},
): string {
  const members = Object.entries(fields).flatMap(([name, { scalar, kind }]) => {
    if (kind === 'texts' || kind === 'bytesList')
      return listOperators.map((operator) => `${name}${operator}: [${scalar}!]`)
    return [
      ...operatorsOf(kind).map((operator) => `${name}${operator}: ${scalar}`),
      ...['_in', '_not_in'].map((operator) => `${name}${operator}: [${scalar}!]`),
    ]
  })
  const relations = Object.entries(related).map(([name, of]) => `${name}: ${of}_filter`)
  const groups = ['and', 'or'].map((name) => `${name}: [${entity}_filter]`)
  return `input ${entity}_filter {\n  ${[...members, ...relations, ...groups].join('\n  ')}\n}`
}

/** The type of `orderBy` of an entity. */
export function orderType(entity: string, orders: readonly string[]): string {
  return `enum ${entity}_orderBy {\n  ${orders.join('\n  ')}\n}`
}

/** The arguments of a list of an entity. */
export function listArguments(entity: string): string {
  return `first: Int = 100, skip: Int = 0, where: ${entity}_filter, orderBy: ${entity}_orderBy, orderDirection: OrderDirection`
}
