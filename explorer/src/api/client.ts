import createClient from 'openapi-fetch'
import { ApiError } from './apiError.ts'
import type { paths } from './openapi.d.ts'

const client = createClient<paths>({ baseUrl: window.location.origin, fetch: (request) => fetch(request) })

/** Asks the interface by its paths, typed by its own document: `unwrap(api.GET('/scan/chains'))`. */
export const api = client

interface Answer<Data> {
  readonly data?: { readonly data: Data }
  readonly error?: unknown
  readonly response: Response
}

/**
 * What stands in the envelope of an answer.
 * @throws ApiError for any other answer, and where there was none.
 */
export async function unwrap<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  let answer: Answer<Data>
  try {
    answer = await asked
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') throw error
    throw new ApiError(0, unreachableMessage, { cause: error })
  }
  if (answer.data !== undefined) return answer.data.data
  throw new ApiError(answer.response.status, messageOf(answer.error))
}

export const unreachableMessage = 'The server does not answer. Check the connection.'

function messageOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string')
    return error.message
  return 'The server answered something else than was expected.'
}
