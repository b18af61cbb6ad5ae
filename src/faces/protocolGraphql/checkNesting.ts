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
  if (nestsBeyond(nestingMax, variables)) throw tooDeep('variables')
}

function nestsBeyond(levels: number, value: unknown): boolean {
  if (levels < 0) return true
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some((member) => nestsBeyond(levels - 1, member))
}

function tooDeep(name: string): BadParameterError {
  return new BadParameterError(`${name} nests more than ${nestingMax} levels; write it with fewer.`)
}
