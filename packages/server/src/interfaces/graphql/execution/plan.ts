import type { Question } from '../../../pipeline/asOf/openView.ts'
import type { FieldNode, GraphQLError, GraphQLField, GraphQLOutputType, GraphQLSchema } from 'graphql'

/** An operation in the form in which it is executed: fragments spread, equal fields merged, types looked up. */
export interface OperationPlan {
  readonly root: ObjectPlan
  /** The number of fields of the plan: each has a slot for its arguments. */
  readonly fieldCount: number
  readonly readVariables: ReadVariables
}

/** Values of variables by their names. */
export type Variables = Readonly<Record<string, unknown>>

/** Coerces the variables of a request, or lists what is wrong with them. */
export type ReadVariables = (
  sent: Variables,
) =>
  | { readonly coerced: Variables; readonly errors?: never }
  | { readonly errors: readonly GraphQLError[]; readonly coerced?: never }

export interface ObjectPlan {
  readonly fields: readonly FieldPlan[]
}

export interface FieldPlan {
  readonly slot: number
  readonly responseKey: string
  /** `"key":`, with a comma before it unless the field is the first of an object. */
  readonly keyText: string
  readonly nextKeyText: string
  readonly node: FieldNode
  readonly definition: GraphQLField<unknown, unknown>
  /** The field is executed when all conditions of one of these lists hold; null: always. */
  readonly guards: readonly Guard[] | null
  /** Reads the arguments: the same for every item of a list. */
  readonly readArguments: ReadArguments
  readonly hints: FieldHints
  /** Writes the JSON text of the field's value without making the value; null if it cannot. */
  readonly writeJson: WriteJson | null
  /** The rows that the arguments ask for; null if the field has no such arguments. */
  readonly sizeOf: ((values: ArgumentValues) => number) | null
  /** The question of the arguments; null: everything. */
  readonly about: ((values: ArgumentValues) => Question) | null
  /** The part of `GraphQLResolveInfo` that our resolvers and the introspection resolvers use. */
  readonly info: { readonly schema: GraphQLSchema; readonly fieldName: string; readonly hints: FieldHints }
  readonly type: TypePlan
}

export type WriteJson = (source: never, context: never) => string

/** Conditions on variables of `@skip` and `@include`, all of which must hold. */
export type Guard = readonly { readonly variable: string; readonly value: boolean }[]

export type ArgumentValues = Readonly<Record<string, unknown>>

/** @throws GraphQLError for arguments that are invalid. */
export type ReadArguments = (variables: Variables) => ArgumentValues

/** The conversion of a type's values to JSON text. */
export interface TypePlan {
  readonly type: GraphQLOutputType
  readonly nonNull: boolean
  readonly kind:
    | { readonly name: 'leaf'; readonly serialize: (value: unknown) => string }
    | { readonly name: 'object'; readonly plan: ObjectPlan }
    | {
        readonly name: 'list'
        readonly item: TypePlan
        /** A list with more items is written with pauses between items, in which other requests go on. */
        readonly unpausedMax: number
      }
}

/** A resolver's knowledge of the selections below its field. */
export interface FieldHints {
  /** `Type.field` of everything selected anywhere below; null if that is not known and anything may be. */
  readonly below: ReadonlySet<string> | null
}
