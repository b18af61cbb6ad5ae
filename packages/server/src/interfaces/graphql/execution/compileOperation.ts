import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNamedType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isIntrospectionType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  SchemaMetaFieldDef,
  type SelectionSetNode,
  TypeMetaFieldDef,
  TypeNameMetaFieldDef,
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  type GraphQLLeafType,
  GraphQLString,
} from 'graphql'
import type { FieldPlan, Guard, ObjectPlan, OperationPlan, TypePlan, WriteJson } from './plan.ts'
import { compileArguments, compileVariables } from './readInputs.ts'

/**
 * Makes the plan of an operation from a valid document. The plan is as large as the document with all fragments spread,
 * which the caller has bounded. No code is generated: text of a client never becomes part of a program (docs/adr/0005).
 */
export function compileOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): OperationPlan {
  const root = schema.getRootType(operation.operation)
  if (root == null) throw new TypeError(`the schema has no type for a ${operation.operation}`)
  const fragments = new Map<string, FragmentDefinitionNode>()
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
  }
  const compiler: Compiler = { schema, fragments, fieldCount: 0 }
  const plan = compileObject(compiler, root, [{ selectionSet: operation.selectionSet, guard: [] }])
  const readVariables = compileVariables(schema, operation)
  return { root: plan.object, fieldCount: compiler.fieldCount, readVariables }
}

interface Compiler {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  fieldCount: number
}

/** A selection set together with the conditions under which it counts. */
interface GuardedSelection {
  readonly selectionSet: SelectionSetNode
  readonly guard: Guard
}

interface CollectedField {
  readonly nodes: { readonly node: FieldNode; readonly guard: Guard }[]
}

interface CompiledObject {
  readonly object: ObjectPlan
  readonly below: ReadonlySet<string>
}

function compileObject(
  compiler: Compiler,
  type: GraphQLObjectType,
  selections: readonly GuardedSelection[],
): CompiledObject {
  const collected = new Map<string, CollectedField>()
  for (const { selectionSet, guard } of selections)
    collectFields(compiler, type, selectionSet, guard, collected)
  const below = new Set<string>()
  const fields: FieldPlan[] = []
  for (const [responseKey, { nodes }] of collected) {
    const node = nodes[0]?.node
    const definition = node && findDefinition(compiler, type, node.name.value)
    if (definition === undefined) continue
    const compiled = compileField(compiler, type, responseKey, definition, nodes)
    below.add(`${type.name}.${definition.name}`)
    for (const name of compiled.hints.below ?? []) below.add(name)
    fields.push(compiled)
  }
  return { object: { fields }, below }
}

function compileField(
  compiler: Compiler,
  parentType: GraphQLObjectType,
  responseKey: string,
  definition: GraphQLField<unknown, unknown>,
  nodes: CollectedField['nodes'],
): FieldPlan {
  const slot = compiler.fieldCount++
  const [first] = nodes
  if (first === undefined) throw new TypeError(`field ${responseKey} was collected without a node`)
  const selections = nodes.flatMap(({ node, guard }) =>
    node.selectionSet === undefined ? [] : [{ selectionSet: node.selectionSet, guard }],
  )
  const namedType = getNamedType(definition.type)
  const children = isObjectType(namedType) ? compileObject(compiler, namedType, selections) : null
  const hints = { below: children?.below ?? noneBelow }
  return {
    slot,
    responseKey,
    keyText: `"${responseKey}":`,
    nextKeyText: `,"${responseKey}":`,
    node: first.node,
    definition,
    guards: nodes.some(({ guard }) => guard.length === 0) ? null : nodes.map(({ guard }) => guard),
    readArguments: compileArguments(definition, first.node),
    hints,
    writeJson: definition === TypeNameMetaFieldDef ? () => `"${parentType.name}"` : writeJsonOf(definition),
    sizeOf: sizeOf(definition),
    about: aboutOf(definition),
    info: { schema: compiler.schema, fieldName: definition.name, hints },
    type: planType(definition.type, children?.object ?? null),
  }
}

const noneBelow: ReadonlySet<string> = new Set()

/** Pages of rows: a promise for each row would cost more than the pauses are worth. */
const rowsUnpaused = 200
/** Types of the schema and their fields: a type with all its fields takes as long as a page of rows. */
const typesUnpaused = 10

function planType(type: GraphQLOutputType, object: ObjectPlan | null): TypePlan {
  if (isNonNullType(type)) return { ...planType(type.ofType, object), type, nonNull: true }
  if (isListType(type)) {
    const unpausedMax = isIntrospectionType(getNamedType(type)) ? typesUnpaused : rowsUnpaused
    return { type, nonNull: false, kind: { name: 'list', item: planType(type.ofType, object), unpausedMax } }
  }
  if (isLeafType(type)) {
    return { type, nonNull: false, kind: { name: 'leaf', serialize: serializeLeaf(type) } }
  }
  if (object === null) throw new TypeError(`${type.name} is neither an object nor a leaf`)
  return { type, nonNull: false, kind: { name: 'object', plan: object } }
}

/** Fields of a selection set by response key, in the order of the specification (6.3.2), with their conditions. */
function collectFields(
  compiler: Compiler,
  type: GraphQLObjectType,
  selectionSet: SelectionSetNode,
  outerGuard: Guard,
  collected: Map<string, CollectedField>,
): void {
  for (const selection of selectionSet.selections) {
    const guard = extendGuard(outerGuard, selection.directives ?? [])
    if (guard === null) continue
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value
      const field = collected.get(key) ?? { nodes: [] }
      field.nodes.push({ node: selection, guard })
      collected.set(key, field)
      continue
    }
    const fragment =
      selection.kind === Kind.FRAGMENT_SPREAD ? compiler.fragments.get(selection.name.value) : selection
    const condition = fragment?.typeCondition
    if (fragment === undefined || (condition !== undefined && condition.name.value !== type.name)) continue
    collectFields(compiler, type, fragment.selectionSet, guard, collected)
  }
}

/** The conditions of a selection and of the selections around it; null if they can never hold. */
function extendGuard(outer: Guard, directives: readonly DirectiveNode[]): Guard | null {
  let guard = outer
  for (const directive of directives) {
    const wanted = directive.name.value === 'include'
    if (!wanted && directive.name.value !== 'skip') continue
    const value = directive.arguments?.find(({ name }) => name.value === 'if')?.value
    if (value?.kind === Kind.BOOLEAN && value.value !== wanted) return null
    if (value?.kind === Kind.VARIABLE) guard = [...guard, { variable: value.name.value, value: wanted }]
  }
  return guard
}

function findDefinition(
  { schema }: Compiler,
  type: GraphQLObjectType,
  name: string,
): GraphQLField<unknown, unknown> | undefined {
  if (name === TypeNameMetaFieldDef.name) return TypeNameMetaFieldDef
  if (type === schema.getQueryType()) {
    if (name === SchemaMetaFieldDef.name) return SchemaMetaFieldDef
    if (name === TypeMetaFieldDef.name) return TypeMetaFieldDef
  }
  return type.getFields()[name]
}

function sizeOf({ extensions }: GraphQLField<unknown, unknown>): FieldPlan['sizeOf'] {
  const { size } = extensions
  // Only `addBehaviours` sets it.
  return typeof size === 'function' ? (size as FieldPlan['sizeOf']) : null
}

function aboutOf({ extensions }: GraphQLField<unknown, unknown>): FieldPlan['about'] {
  const { about } = extensions
  // Only `addBehaviours` sets it.
  return typeof about === 'function' ? (about as FieldPlan['about']) : null
}

function writeJsonOf({ extensions }: GraphQLField<unknown, unknown>): WriteJson | null {
  const { writeJson } = extensions
  // Only `addBehaviours` sets it.
  return typeof writeJson === 'function' ? (writeJson as WriteJson) : null
}

/**
 * Returns the function that serialises a leaf by the rules of its type. The rules are applied only to values that are
 * not in their final form.
 * @throws where the value does not belong to the type.
 */
function serializeLeaf(type: GraphQLLeafType): (value: unknown) => string {
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
