import { ApiError } from './apiError.ts'
import { unreachableMessage } from './client.ts'

/**
 * A query to `/graphql`, for what REST would take many requests for. The caller names the type of the data, as GraphQL's
 * types are not generated; a test executes every document of `documents.ts` against the schema.
 * @throws ApiError where the query failed, wholly or in part.
 */
export async function requestGraphql<Data>(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<Data> {
  let response: Response
  try {
    response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query, variables }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, unreachableMessage, { cause: error })
  }
  const body: unknown = await response.json().catch(() => null)
  const message = failureOf(body)
  if (message !== null || !response.ok)
    throw new ApiError(response.status, message ?? 'The query was refused.')
  return (body as { readonly data: Data }).data
}

function failureOf(body: unknown): string | null {
  if (typeof body !== 'object' || body === null)
    return 'The server answered something else than was expected.'
  if (!('errors' in body) || !Array.isArray(body.errors))
    return 'data' in body ? null : 'The answer is empty.'
  const first: unknown = body.errors[0]
  if (typeof first === 'object' && first !== null && 'message' in first && typeof first.message === 'string')
    return first.message
  return 'The query failed.'
}
