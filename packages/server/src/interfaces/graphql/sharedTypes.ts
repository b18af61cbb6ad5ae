/** Parts of the GraphQL schema that recur in the types of this package and of others. */

/** The argument of fields that answer as of a moment. */
export const asOfArgument =
  '"`<chainId>:<block number or hash>` or Unix seconds: the answer of an index that had stopped there; empty: now." ' +
  'asOf: String'

/** The arguments of a connection. */
export const walkArguments =
  'orderBy: RecordOrder = NEWEST_FIRST, first: Int, after: String, last: Int, before: String'

/** The members of a page beside its rows. */
export const pageFields = `total: Int!
  page: Int!
  size: Int!`

/** The connection of a type, and its edges. */
export function connectionTypes(node: string): string {
  return `type ${node}Connection {
  "The number of all rows that pass the filter, for any slice."
  totalCount: Int
  edges: [${node}Edge!]
  nodes: [${node}!]
  pageInfo: PageInfo
}

type ${node}Edge {
  cursor: String!
  node: ${node}!
}`
}
