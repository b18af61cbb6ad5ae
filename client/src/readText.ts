/**
 * The text of a response as it arrives, in pieces of any length; `onBytes` is called with each piece of the network.
 */
export async function* readText(
  response: Response,
  onBytes: () => void = () => undefined,
): AsyncGenerator<string, void, void> {
  const reader = response.body?.getReader()
  if (reader === undefined) return
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      yield decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
