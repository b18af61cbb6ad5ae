/**
 * The options of every request to a server that an operator named. A redirect is not followed: the server could lead
 * into the operator's own network.
 */
export const boundedRequest = { redirect: 'manual', headers: { 'accept-encoding': 'identity' } } as const

export function isRedirect({ status }: Pick<Response, 'status'>): boolean {
  return status >= 300 && status < 400
}

/**
 * The body of an answer; null if it has more than `bytesMax` bytes, of which no more is then read. Bytes count as they
 * are after a server's own compression.
 */
export async function readBounded(
  response: Pick<Response, 'body'>,
  bytesMax: number,
): Promise<Uint8Array | null> {
  const pieces: Uint8Array[] = []
  let length = 0
  // A body is a stream of bytes. Leaving the loop ends the transfer.
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length
    if (length > bytesMax) return null
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
