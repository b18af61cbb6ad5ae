/**
 * The envelope of every REST answer (docs/api.md, "Envelope"). Payloads arrive as JSON text, since the store returns
 * rows as JSON; joining text costs a fraction of serialising objects.
 */

/** `message` names the mistake. The message of a 5xx is constant, so that nothing internal leaks. */
export const internalErrorMessage = 'The server failed to answer this request; the failure has been logged.'
export const storeUnavailableMessage = 'The index cannot be read at the moment; try again in a few seconds.'

/** A successful answer around `dataJson`, the JSON text of an object. `message` says why it is empty; null: `ok`. */
export function successEnvelope(dataJson: string, message: string | null = null): string {
  const told = message === null ? '"ok"' : JSON.stringify(message)
  return `{"success":true,"statusCode":200,"data":${dataJson},"message":${told}}`
}

/** A failed answer. `dataJson` is the empty object, except for `readyz`, whose state is useful when it fails. */
export function errorEnvelope(statusCode: number, message: string, dataJson = '{}'): string {
  return `{"success":false,"statusCode":${statusCode},"data":${dataJson},"message":${JSON.stringify(message)}}`
}
