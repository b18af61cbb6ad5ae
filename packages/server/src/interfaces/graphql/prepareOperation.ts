import {
  type DocumentNode,
  getOperationAST,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  specifiedRules,
  validate,
  visit,
  type ASTVisitor,
} from 'graphql'
import { quoteInput } from '../../pipeline/quoteInput.ts'
import { compileOperation } from './execution/compileOperation.ts'
import type { OperationPlan } from './execution/plan.ts'
import { present, presentRequestError, type PresentedError } from './graphqlError.ts'
import { liftDocument, type LiftedText } from './liftLiterals.ts'
import { limitError, type GraphqlLimits } from './limits.ts'
import { findExceededLimit } from './measureDocument.ts'

/** An operation that may be executed, or the reason why it may not. */
export type PreparedOperation = ReadyOperation | RefusedOperation

export interface ReadyOperation {
  readonly kind: 'ready'
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  readonly plan: OperationPlan
}

export interface RefusedOperation {
  readonly kind: 'refused'
  readonly errors: readonly GraphQLFormattedError[]
  /** Set for a mutation. */
  readonly isMutation?: true
}

/** Validation stops there: each error repeats a part of the document. */
const errorsMax = 20

/** Parses, measures, validates and plans a document. One of the `specifiedRules` bounds the depth of introspection. */
export function prepareOperation(
  schema: GraphQLSchema,
  limits: GraphqlLimits,
  query: string,
  operationName: string | null,
): PreparedOperation {
  const parsed = parseDocument(query, limits)
  if ('message' in parsed) return refuse(parsed)
  const document = schema.extensions[takesTexts] === true ? withTextVariables(parsed) : parsed
  const exceeded = findExceededLimit(document, limits)
  if (exceeded !== null) return refuse(exceeded)
  const mistakes = validate(schema, document, specifiedRules, { maxErrors: errorsMax })
  if (mistakes.length > 0) {
    return refuse(...mistakes.map((mistake) => presentRequestError(mistake, 'GRAPHQL_VALIDATION_FAILED')))
  }
  const operation = getOperationAST(document, operationName)
  if (operation == null) return refuse(missingOperation(operationName))
  if (operation.operation === OperationTypeNode.MUTATION) {
    const message = 'There are only queries and subscriptions here, no mutation.'
    return { ...refuse(present('BAD_REQUEST', message)), isMutation: true }
  }
  if (schema.getRootType(operation.operation) == null)
    return refuse(present('BAD_REQUEST', 'There are only queries here, no subscription.'))
  return { kind: 'ready', document, operation, plan: compileOperation(schema, document, operation) }
}

/** Whether variables of `ID` and `Bytes` are as good as those of `String`, as they are to graph-node. */
export const takesTexts = 'takesTexts'

/** The document with variables of `String` in place of those of `ID` and `Bytes`. */
function withTextVariables(document: DocumentNode): DocumentNode {
  return visit(document, {
    VariableDefinition: (definition) => ({ ...definition, type: visit(definition.type, textNames) }),
  })
}

const textNames: ASTVisitor = {
  NamedType: (node) =>
    node.name.value === 'ID' || node.name.value === 'Bytes'
      ? { ...node, name: { ...node.name, value: 'String' } }
      : undefined,
}

/** The same operation for documents of the same shape (`liftText`); null if the document cannot be shared. */
export function prepareLifted(
  schema: GraphQLSchema,
  { document }: ReadyOperation,
  text: LiftedText,
): ReadyOperation | null {
  const lifted = liftDocument(schema, document, text)
  if (lifted === null || validate(schema, lifted, specifiedRules, { maxErrors: 1 }).length > 0) return null
  const operation = getOperationAST(lifted)
  if (operation == null) return null
  return { kind: 'ready', document: lifted, operation, plan: compileOperation(schema, lifted, operation) }
}

function refuse(...errors: readonly GraphQLFormattedError[]): RefusedOperation {
  return { kind: 'refused', errors }
}

function parseDocument(query: string, { tokens }: GraphqlLimits): DocumentNode | GraphQLFormattedError {
  try {
    return parse(query, { maxTokens: tokens })
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error
    // The parser reports this only by its message.
    if (error.message.includes('tokens. Parsing aborted.')) return limitError('tokens', tokens, Number.NaN)
    return presentRequestError(error, 'GRAPHQL_PARSE_FAILED')
  }
}

function missingOperation(operationName: string | null): PresentedError {
  return present(
    'BAD_REQUEST',
    operationName === null
      ? 'The document must hold one operation, or operationName must say which of them is meant.'
      : `The document has no operation named ${quoteInput(operationName)}.`,
  )
}
