import { type GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Change } from '@attestry/core/index/indexQueries.ts'
import type { ChangeFilter } from '@attestry/core/changes/changeFilter.ts'
import { aboutChains, type Question } from '../../pipeline/asOf/openView.ts'
import type { Effort } from '../../pipeline/effort/createEffort.ts'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import { createOperationCache } from './createOperationCache.ts'
import { aboutOfPlan } from './execution/aboutOfPlan.ts'
import { costOfPlan } from './execution/costOfPlan.ts'
import type { ArgumentValues } from './execution/plan.ts'
import { executePlan, formatExecuted } from './execution/executePlan.ts'
import { present, presentGraphqlError, presentRequestError } from './graphqlError.ts'
import { readChangeFilter } from './input/readFilters.ts'
import type { ReadyOperation, RefusedOperation } from './prepareOperation.ts'
import { limitError, type GraphqlLimits } from './limits.ts'

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
      /** The question, whose chains' freshness counts. */
      readonly about: Question
    }
  | RefusedOperation

/** `Subject`: the part of the index that is asked, where there are several. */
export interface Executor<Subject = void> {
  /** Executes a query; a subscription is refused. */
  execute(request: GraphqlRequest, subject: Subject, effort: Effort): Promise<GraphqlOutcome>
  /**
   * Prepares a subscription; `query` if the document is a query.
   * @throws BadParameterError for a filter that cannot be read.
   */
  subscribe(
    request: GraphqlRequest,
    subject: Subject,
  ): PreparedSubscription | { readonly kind: 'query' } | RefusedOperation
}

export interface PreparedSubscription {
  readonly kind: 'subscription'
  /** null: no indexed record can pass. */
  readonly filter: ChangeFilter | null
  readonly lastEventId: string | null
  /** The cost of one result, from the rows and fields that it may have. */
  readonly cost: number
  /** The JSON text of the result for a change, which equal subscriptions share, and the time that this call took. */
  readonly render: (change: Change) => Promise<RenderedChange>
}

export interface RenderedChange {
  readonly text: string
  /** Milliseconds of the thread; 0 where an equal subscription had the text made. */
  readonly spentMs: number
}

/** Characters of results that are kept for equal subscriptions. */
const renderedLengthMax = 4 * 1024 * 1024

export interface ExecutorOptions<Subject> {
  /** The effort of a result of a subscription, which connections share. */
  readonly createEffort: () => Effort
  /** With resolvers that `addBehaviours` attached. */
  readonly schema: GraphQLSchema
  /** Makes the state that the resolvers of one request share. An answer for which they read the clock is not cached. */
  readonly createContext: (subject: Subject, effort: Effort) => { readonly usedClock: () => boolean }
  /** The question of an outermost field that has no `about` of its own; everything by default. */
  readonly aboutOf?: (subject: Subject, values: ArgumentValues) => Question
  readonly limits: GraphqlLimits
  /** Called before a document is parsed; throws for one that must not be. A cached document was parsed before. */
  readonly checkDocument?: (query: string) => void
  /** Called with every error that is not the client's. */
  readonly onFailure: (error: unknown) => void
}

/** Executes requests over one index. */
export function createExecutor<Subject = void>(options: ExecutorOptions<Subject>): Executor<Subject> {
  const { schema, createContext, limits, onFailure } = options
  const operations = createOperationCache(schema, limits, options.checkDocument)
  const presentError = (error: unknown) => presentGraphqlError(error, onFailure)

  /** Results by change and subscription: connections with equal ones share each result. */
  const rendered = createRecentMap<string, string>(renderedLengthMax, ({ length }) => length)
  const numbers = new WeakMap<Change, number>()
  let changeCount = 0

  /** The values of an operation's variables, or why it is refused. */
  function admit(
    { plan }: ReadyOperation,
    variables: GraphqlRequest['variables'],
  ): RefusedOperation | { readonly kind: 'admitted'; readonly variables: Readonly<Record<string, unknown>> } {
    const coerced = plan.readVariables(variables)
    if (coerced.errors !== undefined) {
      const errors = coerced.errors.map((error) => presentRequestError(error, 'BAD_USER_INPUT'))
      return { kind: 'refused', errors }
    }
    const cost = costOfPlan(plan, coerced.coerced)
    if (cost > limits.cost) return { kind: 'refused', errors: [limitError('cost', limits.cost, cost)] }
    return { kind: 'admitted', variables: coerced.coerced }
  }

  async function execute(
    prepared: ReadyOperation,
    variables: GraphqlRequest['variables'],
    subject: Subject,
    effort: Effort,
  ): Promise<GraphqlOutcome> {
    const { operation, plan } = prepared
    if (operation.operation === OperationTypeNode.SUBSCRIPTION) return refusedSubscription
    const admitted = admit(prepared, variables)
    if (admitted.kind === 'refused') return admitted
    const context = createContext(subject, effort)
    const { variables: given } = admitted
    const executed = await executePlan(plan, {
      variables: given,
      context,
      presentError,
      charactersMax: limits.answer,
      pause: effort.pause,
    })
    const isWhole = executed.errors.length === 0
    const aboutOf = (values: ArgumentValues) => options.aboutOf?.(subject, values) ?? aboutChains(null)
    return {
      kind: 'executed',
      text: formatExecuted(executed),
      isWhole,
      mayBeKept: isWhole && !context.usedClock(),
      about: aboutOfPlan(plan, given, aboutOf),
    }
  }

  async function render(
    { plan }: ReadyOperation,
    variables: Readonly<Record<string, unknown>>,
    change: Change,
    subject: Subject,
  ): Promise<RenderedChange> {
    const effort = options.createEffort()
    const context = createContext(subject, effort)
    const { pause } = effort
    const { answer: charactersMax } = limits
    const shared = { variables, context, presentError, charactersMax, pause }
    const text = formatExecuted(await executePlan(plan, { ...shared, root: change }))
    return { text, spentMs: effort.spentMs() }
  }

  function subscribe(
    { query, operationName, variables: sent }: GraphqlRequest,
    subject: Subject,
  ): ReturnType<Executor['subscribe']> {
    const prepared = operations.prepare(query, operationName)
    if (prepared.kind === 'refused') return prepared
    const [field] = prepared.plan.root.fields
    if (prepared.operation.operation !== OperationTypeNode.SUBSCRIPTION || field === undefined) {
      return { kind: 'query' }
    }
    const admitted = admit(prepared, sent)
    if (admitted.kind === 'refused') return admitted
    const { variables } = admitted
    const { filter, lastEventId } = field.readArguments(variables)
    const key = JSON.stringify([query, operationName, variables, subject])
    return {
      kind: 'subscription',
      filter: readChangeFilter(filter),
      lastEventId: typeof lastEventId === 'string' && lastEventId !== '' ? lastEventId : null,
      cost: prepared.plan.fieldCount + costOfPlan(prepared.plan, variables),
      render: async (change) => {
        const number = numbers.get(change) ?? ++changeCount
        numbers.set(change, number)
        const name = `${number} ${key}`
        const known = rendered.get(name)
        if (known !== undefined) return { text: known, spentMs: 0 }
        const made = await render(prepared, variables, change, subject)
        rendered.set(name, made.text)
        return made
      },
    }
  }

  return {
    subscribe,
    execute: async ({ query, operationName, variables }, subject, effort) => {
      const lifted = operations.findLifted(query, operationName)
      if (lifted !== null) {
        const outcome = await execute(lifted.prepared, { ...variables, ...lifted.variables }, subject, effort)
        // Errors name places in the document, so they are made from the document as it was sent.
        if (outcome.kind === 'executed' && outcome.isWhole) return outcome
      }
      const prepared = operations.prepare(query, operationName)
      return prepared.kind === 'refused' ? prepared : await execute(prepared, variables, subject, effort)
    },
  }
}

const refusedSubscription: RefusedOperation = {
  kind: 'refused',
  errors: [present('BAD_REQUEST', 'Subscriptions are answered as a stream; accept text/event-stream.')],
}
