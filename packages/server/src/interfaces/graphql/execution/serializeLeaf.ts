import { GraphQLBoolean, GraphQLFloat, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql'

/**
 * Returns the function that serialises a leaf by the rules of its type. The rules are applied only to values that are
 * not in their final form.
 * @throws where the value does not belong to the type.
 */
export function serializeLeaf(type: GraphQLLeafType): (value: unknown) => string {
  const general = (value: unknown) => JSON.stringify(type.serialize(value)) ?? 'null'
  switch (type) {
    case GraphQLString:
      return (value) => (typeof value === 'string' ? JSON.stringify(value) : general(value))
    case GraphQLBoolean:
      return (value) => (typeof value === 'boolean' ? String(value) : general(value))
    case GraphQLInt:
      return (value) =>
        typeof value === 'number' && (value | 0) === value ? String(value + 0) : general(value)
    case GraphQLFloat:
      return (value) => (Number.isFinite(value) ? JSON.stringify(value) : general(value))
    default:
      return general
  }
}
