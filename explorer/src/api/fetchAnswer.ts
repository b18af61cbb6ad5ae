import { AttestryError } from '@attestry/client/attestryError.ts'

/**
 * The answer of a path whose answers have no envelope.
 * @param fallback the message of an error if the server gives none.
 * @throws AttestryError
 */
export async function fetchAnswer(path: string, fallback: string, signal?: AbortSignal): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, signal === undefined ? {} : { signal })
  } catch (error) {
    throw new AttestryError(0, 'The server does not answer. Check the connection.', { cause: error })
  }
  if (response.ok) return response
  const body: unknown = await response.json().catch(() => null)
  const message =
    typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
      ? body.message
      : fallback
  throw new AttestryError(response.status, message)
}
