/**
 * Hands an envelope in to the store of the server that the page came from.
 * @returns the id of the record.
 * @throws Error with the server's reason.
 */
export async function storeStatement(textJson: string, key: string): Promise<string> {
  const response = await fetch('/offchain/store', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key === '' ? {} : { 'x-api-key': key }) },
    body: JSON.stringify({ filename: 'attestation.json', textJson }),
  })
  // A proxy in front of the server answers with a page of its own.
  const answer = (await response.json().catch(() => ({}))) as {
    readonly id?: string
    readonly message?: string
  }
  if (response.ok && answer.id !== undefined) return answer.id
  throw new Error(answer.message ?? `The server answered ${response.status}.`)
}
