import { fetchAnswer } from './fetchAnswer.ts'

/**
 * The proof of an attestation as the file that `attestry check-proof` reads: the answer unchanged, to the byte.
 * @param search names the protocol of the attestation, if the page does.
 * @throws AttestryError whose message says why there is no proof at the moment.
 */
export async function fetchProof(id: string, search: string): Promise<Blob> {
  const path = `/scan/attestations/${encodeURIComponent(id)}/proof${search}`
  return await (await fetchAnswer(path, 'The proof could not be fetched.')).blob()
}
