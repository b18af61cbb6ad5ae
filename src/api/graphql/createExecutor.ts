import { getVariableValues } from 'graphql'
import { createGraphqlSchema } from './createGraphqlSchema.ts'
import { createOperationCache } from './createOperationCache.ts'
import { costOfPlan } from './execution/costOfPlan.ts'
import { executePlan, formatExecuted } from './execution/executePlan.ts'
import { presentGraphqlError, presentRequestError } from './graphqlError.ts'
import type { ReadyOperation, RefusedOperation } from './prepareOperation.ts'
import { limitError, type GraphqlLimits } from './limits.ts'
import { createRequestContext, type GraphqlServices } from './requestContext.ts'

/** One request, in the same form for every transport. */
export interface GraphqlRequest {
  readonly query: string
  readonly operationName: string | null
  readonly variables: Readonly<Record<string, unknown>>
}

/** The outcome of a request. A refused request was not executed, because of its document, its variables or its cost. */
export type GraphqlOutcome =
  | {
      readonly kind: 'executed'
      readonly text: string
      /** Whether every field succeeded. */
      readonly isWhole: boolean
      /** Whether a repeated request has the same answer at the same index version. */
      readonly mayBeKept: boolean
    }
  | RefusedOperation

export type Execute = (request: GraphqlRequest) => Promise<GraphqlOutcome>

export interface ExecutorOptions extends GraphqlServices {
  readonly limits: GraphqlLimits
  /** Called with every error that is not the client's. */
  readonly onFailure: (error: unknown) => void
}

/** At most this many invalid variables are listed. */
const variableErrorsMax = 10

/** Executes requests over one index. */
export function createExecutor(options: ExecutorOptions): Execute {
  const { limits, onFailure, ...services } = options
  const schema = createGraphqlSchema()
  const operations = createOperationCache(schema, limits)
  const presentError = (error: unknown) => presentGraphqlError(error, onFailure)

  async function execute(
    { operation, plan }: ReadyOperation,
    variables: GraphqlRequest['variables'],
  ): Promise<GraphqlOutcome> {
    const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
      maxErrors: variableErrorsMax,
    })
    if (coerced.errors !== undefined) {
      const errors = coerced.errors.map((error) => presentRequestError(error, 'BAD_USER_INPUT'))
      return { kind: 'refused', errors }
    }
    const cost = costOfPlan(plan, coerced.coerced)
    if (cost > limits.cost) return { kind: 'refused', errors: [limitError('cost', limits.cost, cost)] }
    const context = createRequestContext(services)
    const executed = await executePlan(plan, { variables: coerced.coerced, context, presentError })
    const isWhole = executed.errors.length === 0
    return {
      kind: 'executed',
      text: formatExecuted(executed),
      isWhole,
      mayBeKept: isWhole && !context.usedClock,
    }
  }

  return async ({ query, operationName, variables }) => {
    const lifted = operations.findLifted(query, operationName)
    if (lifted !== null) {
      const outcome = await execute(lifted.prepared, { ...variables, ...lifted.variables })
      // Errors name places in the document, so they are made from the document as it was sent.
      if (outcome.kind === 'executed' && outcome.isWhole) return outcome
    }
    const prepared = operations.prepare(query, operationName)
    return prepared.kind === 'refused' ? prepared : await execute(prepared, variables)
  }
}
