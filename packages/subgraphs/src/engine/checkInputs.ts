import { type GraphQLSchema, isInputObjectType } from 'graphql'
import { BadParameterError } from '@attestry/core/errors/apiErrors.ts'
import type { GraphqlRequest } from '@attestry/server/interfaces/graphql/createExecutor.ts'

/** Levels that values, selections and arguments may nest, together. Parsers and validators recurse over them. */
const nestingMax = 100

/** Fields of input types that graphql-js may pass over for one document or its variables; ten thousand take 7 ms. */
const inputFieldsMax = 150_000

/** Strings and comments, which may hold any bracket, and the brackets themselves. */
const tokenPattern = /"""[^]*?"""|"(?:[^"\\\n\r]|\\.)*"|#[^\n\r]*|[[{(]|[\]})]/g

/**
 * Most objects in the arguments of a document, or in its variables. For each object graphql-js visits all fields of its
 * type, and the filters of a subgraph have hundreds.
 */
export function inputObjectsMax(schema: GraphQLSchema): number {
  const types = Object.values(schema.getTypeMap()).filter(isInputObjectType)
  return Math.floor(inputFieldsMax / Math.max(...types.map((type) => Object.keys(type.getFields()).length)))
}

/**
 * Refuses a document that nests without bound, or holds too many objects, before anything walks over it.
 * @throws BadParameterError
 */
export function checkDocument(query: string, objectsMax: number): void {
  let [depth, inArguments, objects] = [0, 0, 0]
  for (const [token] of query.matchAll(tokenPattern)) {
    if (token === '(') inArguments += 1
    else if (token === ')') inArguments -= 1
    else if (token === '{' && inArguments > 0) objects += 1
    if (token === '[' || token === '{' || token === '(') depth += 1
    else if (token === ']' || token === '}' || token === ')') depth -= 1
    if (depth > nestingMax) throw tooDeep('query')
    if (objects > objectsMax) throw tooMany('query', objectsMax)
  }
}

/**
 * The same for the variables of a request.
 * @throws BadParameterError
 */
export function checkVariables(variables: GraphqlRequest['variables'], objectsMax: number): void {
  let objects = -1
  const visit = (value: unknown, levels: number): void => {
    if (levels < 0) throw tooDeep('variables')
    if (typeof value !== 'object' || value === null) return
    if (!Array.isArray(value)) objects += 1
    if (objects > objectsMax) throw tooMany('variables', objectsMax)
    for (const member of Object.values(value)) visit(member, levels - 1)
  }
  visit(variables, nestingMax)
}

function tooDeep(name: string): BadParameterError {
  return new BadParameterError(`${name} nests more than ${nestingMax} levels; write it with fewer.`)
}

function tooMany(name: string, objectsMax: number): BadParameterError {
  return new BadParameterError(
    `${name} holds more than ${objectsMax.toLocaleString('en')} objects (limit objects); list values by in, or ask in ` +
      'several requests.',
  )
}
