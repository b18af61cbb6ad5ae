import type { GraphQLSchema } from 'graphql'
import { createRecentMap } from '@attestry/core/model/recentMap.ts'
import { liftText, liftedVariables, type LiftedText } from './liftLiterals.ts'
import type { GraphqlLimits } from './limits.ts'
import {
  prepareLifted,
  prepareOperation,
  type PreparedOperation,
  type ReadyOperation,
} from './prepareOperation.ts'

/** Prepares operations and caches the recent ones: preparing one costs far more than executing it. */
export interface OperationCache {
  /** The operation of a document as it was sent; its errors have places in this very text. */
  prepare(query: string, operationName: string | null): PreparedOperation
  /** The operation of a document by its shape, with the values of its literals, if the shape is cached. */
  findLifted(query: string, operationName: string | null): LiftedOperation | null
}

export interface LiftedOperation {
  readonly prepared: ReadyOperation
  readonly variables: Readonly<Record<string, unknown>>
}

/**
 * Bytes of memory for cached operations, approximately: a quarter each for texts and shapes in use, as much for older
 * ones.
 */
const bytesMax = 32 * 1024 * 1024

/** Characters of the texts whose literals are cached. */
const liftedLengthMax = 1024 * 1024

/** Bytes that a field of a plan takes, approximately, with its part of the document. */
const fieldBytes = 1500

/**
 * Refused documents are not cached. A document whose shape is cached is not cached by its text, so that a client with
 * values in its documents leaves one entry.
 */
export function createOperationCache(
  schema: GraphQLSchema,
  limits: GraphqlLimits,
  checkDocument: (query: string) => void = () => undefined,
): OperationCache {
  const texts = createCache<ReadyOperation>()
  // null: the literals of this shape cannot become variables.
  const shapes = createCache<ReadyOperation | null>()
  // A client with variables sends the same literals (`take: 10`) with each request; finding them took 2 % of it.
  const liftedTexts = createRecentMap<string, LiftedText | null>(
    liftedLengthMax,
    (_lifted, query) => query.length,
  )

  function lift(query: string): LiftedText | null {
    const known = liftedTexts.get(query)
    if (known !== undefined) return known
    const lifted = liftText(query)
    liftedTexts.set(query, lifted)
    return lifted
  }

  /** Remembers a document by its shape or, where that cannot be, by its text. */
  function remember(query: string, operationName: string | null, prepared: ReadyOperation): void {
    const lifted = lift(query)
    if (lifted !== null) {
      const key = keyOf(lifted.template, operationName)
      const known = shapes.find(key)
      const shape = known === undefined ? prepareLifted(schema, prepared, lifted) : known
      shapes.put(key, shape, shape?.plan.fieldCount ?? 0)
      if (shape !== null) return
    }
    texts.put(keyOf(query, operationName), prepared, prepared.plan.fieldCount)
  }

  return {
    prepare(query, operationName) {
      const known = texts.find(keyOf(query, operationName))
      if (known !== undefined) return known
      checkDocument(query)
      const prepared = prepareOperation(schema, limits, query, operationName)
      if (prepared.kind === 'ready') remember(query, operationName, prepared)
      return prepared
    },
    findLifted(query, operationName) {
      if (texts.find(keyOf(query, operationName)) !== undefined) return null
      const lifted = lift(query)
      if (lifted === null) return null
      const prepared = shapes.find(keyOf(lifted.template, operationName)) ?? null
      return prepared === null ? null : { prepared, variables: liftedVariables(lifted) }
    },
  }
}

function keyOf(text: string, operationName: string | null): string {
  return operationName === null ? text : `${operationName}\n${text}`
}

interface CachedOperation<Prepared> {
  readonly prepared: Prepared
  readonly bytes: number
}

function createCache<Prepared>() {
  const entries = createRecentMap<string, CachedOperation<Prepared>>(bytesMax / 2, ({ bytes }) => bytes)
  return {
    find: (key: string): Prepared | undefined => entries.get(key)?.prepared,
    put: (key: string, prepared: Prepared, fieldCount: number): void => {
      if (!entries.has(key))
        entries.set(key, { prepared, bytes: 4 * key.length + fieldBytes * (fieldCount + 1) })
    },
  }
}
