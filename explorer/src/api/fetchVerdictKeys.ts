import { AttestryError } from '@attestry/client/attestryError.ts'
import type { VerdictKeys } from '@attestry/client/gate/verifyVerdict.ts'

/**
 * The public keys by which this server signs verdicts.
 * @throws AttestryError
 */
export async function fetchVerdictKeys(signal: AbortSignal): Promise<VerdictKeys> {
  let response: Response
  try {
    response = await fetch('/.well-known/jwks.json', { signal })
  } catch (error) {
    throw new AttestryError(0, 'The server does not answer. Check the connection.', { cause: error })
  }
  if (!response.ok) throw new AttestryError(response.status, 'The keys of the server could not be fetched.')
  return (await response.json()) as VerdictKeys
}
