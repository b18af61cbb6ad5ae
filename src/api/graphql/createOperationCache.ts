import type { GraphQLSchema } from 'graphql'
import type { GraphqlLimits } from './limits.ts'
import { prepareOperation, type PreparedOperation } from './prepareOperation.ts'

/** Prepares operations, and remembers those that were asked for lately: preparing one costs far more than executing it. */
export interface OperationCache {
  prepare(query: string, operationName: string | null): PreparedOperation
}

/** Memory for remembered operations, in bytes, about. */
const bytesMax = 32 * 1024 * 1024

/** What a field of a plan takes, about. */
const fieldBytes = 700

/**
 * Two generations of at most half the bound each, as kept answers have: operations that are asked for move to the young one, and when
 * that is full, it becomes the old one. Refused documents are not remembered.
 */
export function createOperationCache(schema: GraphQLSchema, limits: GraphqlLimits): OperationCache {
  let young = new Map<string, PreparedOperation>()
  let old = new Map<string, PreparedOperation>()
  let youngBytes = 0

  function remember(key: string, prepared: PreparedOperation): void {
    if (prepared.kind === 'refused') return
    const bytes = 2 * key.length + fieldBytes * prepared.plan.fieldCount
    if (youngBytes + bytes > bytesMax / 2) {
      old = young
      young = new Map()
      youngBytes = 0
    }
    young.set(key, prepared)
    youngBytes += bytes
  }

  return {
    prepare(query, operationName) {
      const key = operationName === null ? query : `${operationName}\n${query}`
      const known = young.get(key)
      if (known !== undefined) return known
      const prepared = old.get(key) ?? prepareOperation(schema, limits, query, operationName)
      remember(key, prepared)
      return prepared
    },
  }
}
