/**
 * The envelope that every REST answer wears (service.md 2.4). Payloads arrive as JSON text, because rows are kept as JSON
 * in the store; joining text costs a fraction of serialising objects.
 */

/** What is wrong is said in `message`; a 5xx says a constant, so that nothing of the inside leaks. */
export const internalErrorMessage = 'The server failed to answer this request; the failure has been logged.'
export const storeUnavailableMessage = 'The index cannot be read at the moment; try again in a few seconds.'

/** A successful answer around `dataJson`, the JSON text of an object. */
export function successEnvelope(dataJson: string): string {
  return `{"success":true,"statusCode":200,"data":${dataJson},"message":"ok"}`
}

/** A failed answer. `dataJson` is the empty object but for `readyz`, whose state is worth reading when it fails. */
export function errorEnvelope(statusCode: number, message: string, dataJson = '{}'): string {
  return `{"success":false,"statusCode":${statusCode},"data":${dataJson},"message":${JSON.stringify(message)}}`
}
