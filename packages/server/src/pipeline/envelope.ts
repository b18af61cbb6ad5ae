import { writeInTurns, writeJson } from './answers/writeJson.ts'

/** The envelope of every REST answer (docs/api.md, "Envelope"). */

/** `message` names the mistake. The message of a 5xx is constant, so that nothing internal leaks. */
export const internalErrorMessage = 'The server failed to answer this request; the failure has been logged.'
export const storeUnavailableMessage = 'The index cannot be read at the moment; try again in a few seconds.'

/** The text of a successful answer. `message` says why it is empty; null: `ok`. */
export async function writeAnswer(data: object, message: string | null = null): Promise<string> {
  return around(await writeInTurns(data), message)
}

/** The text of a successful answer whose data is short. */
export function successEnvelope(data: object): string {
  return around(writeJson(data), null)
}

function around(dataJson: string, message: string | null): string {
  return `{"success":true,"statusCode":200,"data":${dataJson},"message":${JSON.stringify(message ?? 'ok')}}`
}

/** The text of a failed answer. `data` is empty, except for `readyz`, whose state is useful when it fails. */
export function errorEnvelope(statusCode: number, message: string, data: object = {}): string {
  return JSON.stringify({ success: false, statusCode, data, message })
}
