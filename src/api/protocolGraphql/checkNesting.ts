import { BadParameterError } from '../../errors/apiErrors.ts'
import type { GraphqlRequest } from '../graphql/createExecutor.ts'

/** How deep values, selections and arguments may nest, together. Parsers and validators recurse over them. */
const nestingMax = 100

/** Strings and comments, which may hold any bracket, and the brackets themselves. */
const tokenPattern = /"""[^]*?"""|"(?:[^"\\\n\r]|\\.)*"|#[^\n\r]*|[[{(]|[\]})]/g

/**
 * Refuses a document that nests without bound, before anything recurses over it.
 * @throws BadParameterError
 */
export function checkDocumentNesting(query: string): void {
  let depth = 0
  for (const [token] of query.matchAll(tokenPattern)) {
    if (token === '[' || token === '{' || token === '(') depth += 1
    else if (token === ']' || token === '}' || token === ')') depth -= 1
    if (depth > nestingMax) throw tooDeep('query')
  }
}

/**
 * The same for the variables of a request.
 * @throws BadParameterError
 */
export function checkVariablesNesting(variables: GraphqlRequest['variables']): void {
  let level: readonly unknown[] = [variables]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > nestingMax) throw tooDeep('variables')
    level = level.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
  }
}

function tooDeep(name: string): BadParameterError {
  return new BadParameterError(`${name} nests more than ${nestingMax} levels; write it with fewer.`)
}
