import { assertValidSchema, buildSchema, type GraphQLSchema } from 'graphql'
import { activityBehaviours } from './fields/activityBehaviours.ts'
import { addressBehaviours } from './fields/addressBehaviours.ts'
import { attestationBehaviours } from './fields/attestationBehaviours.ts'
import { changeBehaviours } from './fields/changeBehaviours.ts'
import { connectionBehaviours } from './fields/connection.ts'
import { addBehaviours, type TypeBehaviour } from './fields/fieldBehaviour.ts'
import { overviewBehaviours } from './fields/overviewBehaviours.ts'
import { queryBehaviours } from './fields/queryBehaviours.ts'
import { schemaBehaviours } from './fields/schemaBehaviours.ts'
import { typeDefinitions } from './typeDefinitions.ts'

/** Types and fields that a capability adds. */
export interface GraphqlPart {
  /** Definitions and extensions of types, such as `extend type Query`. */
  readonly typeDefinitions: string
  /** The resolution of its fields, by type and field. */
  readonly behaviours: Readonly<Record<string, TypeBehaviour<never>>>
}

/** The schema of GraphQL with its resolvers, for this executor and any other. */
export function createGraphqlSchema(parts: readonly GraphqlPart[] = []): GraphQLSchema {
  const schema = buildSchema([typeDefinitions, ...parts.map((part) => part.typeDefinitions)].join('\n'))
  assertValidSchema(schema)
  addBehaviours(schema, {
    ...queryBehaviours,
    ...schemaBehaviours,
    ...attestationBehaviours,
    ...connectionBehaviours,
    ...addressBehaviours,
    ...activityBehaviours,
    ...overviewBehaviours,
    ...changeBehaviours,
  })
  for (const { behaviours } of parts) addBehaviours(schema, behaviours)
  return schema
}
