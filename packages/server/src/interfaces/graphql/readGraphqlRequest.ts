import { isJsonObject } from '@attestry/core/model/jsonObject.ts'
import { BadRequestError } from '@attestry/core/errors/apiErrors.ts'
import type { GraphqlRequest } from './createExecutor.ts'
import type { PersistedDocuments } from './createPersistedDocuments.ts'

/**
 * The request that a POST carries (GraphQL over HTTP, 5.2).
 * @throws BadRequestError
 * @throws PersistedQueryNotFoundError
 */
export function readPostedRequest(body: string, documents: PersistedDocuments): GraphqlRequest {
  const sent = parseJson(body)
  if (sent === undefined) {
    throw new BadRequestError('The body is not valid JSON; send an object with the member query.')
  }
  if (Array.isArray(sent)) {
    throw new BadRequestError('The body is a list, and batching is off; send one request at a time.')
  }
  if (!isJsonObject(sent)) throw new BadRequestError('The body must be a JSON object with the member query.')
  return readMembers(sent, documents)
}

/**
 * The request that the URL of a GET carries (5.1): `variables` and `extensions` are JSON there.
 * @throws BadRequestError
 * @throws PersistedQueryNotFoundError
 */
export function readUrlRequest(url: string, documents: PersistedDocuments): GraphqlRequest {
  const queryStart = url.indexOf('?')
  const sent = new URLSearchParams(queryStart === -1 ? '' : url.slice(queryStart + 1))
  for (const name of ['query', 'operationName', 'variables', 'extensions']) {
    if (sent.getAll(name).length > 1) {
      throw new BadRequestError(`${name} is given more than once; give it at most once.`)
    }
  }
  const members = {
    query: sent.get('query') ?? undefined,
    operationName: sent.get('operationName') || null,
    variables: parseParameter('variables', sent.get('variables')),
    extensions: parseParameter('extensions', sent.get('extensions')),
  }
  return readMembers(members, documents)
}

function readMembers(sent: Readonly<Record<string, unknown>>, documents: PersistedDocuments): GraphqlRequest {
  const { query: sentQuery, operationName, variables, extensions } = sent
  const persisted = isJsonObject(extensions) ? extensions['persistedQuery'] : undefined
  const text = sentQuery === undefined || sentQuery === '' ? null : sentQuery
  const query =
    isJsonObject(persisted) && (text === null || typeof text === 'string')
      ? documents.resolve(text, persisted)
      : sentQuery
  if (query === undefined || query === null) {
    throw new BadRequestError('query is missing; it must be the text of a GraphQL document.')
  }
  if (typeof query !== 'string') throw new BadRequestError('query must be the text of a GraphQL document.')
  if (!isAbsent(operationName) && typeof operationName !== 'string') {
    throw new BadRequestError('operationName must be the name of an operation, or null.')
  }
  if (!isAbsent(variables) && !isJsonObject(variables)) {
    throw new BadRequestError('variables must be an object of values by their names, or null.')
  }
  if (!isAbsent(extensions) && !isJsonObject(extensions)) {
    throw new BadRequestError('extensions must be an object, or null.')
  }
  return { query, operationName: operationName ?? null, variables: variables ?? {} }
}

function parseParameter(name: string, text: string | null): unknown {
  if (text === null || text === '') return null
  const value = parseJson(text)
  if (value === undefined)
    throw new BadRequestError(`${name} must be JSON; encode it as encodeURIComponent does.`)
  return value
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined
}
