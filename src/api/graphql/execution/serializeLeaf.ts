import { GraphQLBoolean, GraphQLFloat, GraphQLInt, type GraphQLLeafType, GraphQLString } from 'graphql'

/**
 * The function that makes JSON text of a leaf's value, by the type's own rules: they are asked only where the value is not
 * already what they would make of it.
 * @throws where the value is none of the type.
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
