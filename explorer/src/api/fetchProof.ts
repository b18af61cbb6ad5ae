import { AttestryError } from '@attestry/client/attestryError.ts'

/**
 * The proof of an attestation as the file that `attestry check-proof` reads: the answer unchanged, to the byte.
 * @param search names the protocol of the attestation, if the page does.
 * @throws AttestryError whose message says why there is no proof at the moment.
 */
export async function fetchProof(id: string, search: string): Promise<Blob> {
  let response: Response
  try {
    response = await fetch(`/scan/attestations/${encodeURIComponent(id)}/proof${search}`)
  } catch (error) {
    throw new AttestryError(0, 'The server does not answer. Check the connection.', { cause: error })
  }
  if (response.ok) return response.blob()
  const body: unknown = await response.json().catch(() => null)
  const message =
    typeof body === 'object' && body !== null && 'message' in body && typeof body.message === 'string'
      ? body.message
      : 'The proof could not be fetched.'
  throw new AttestryError(response.status, message)
}
