import { createHmac } from 'node:crypto'

/** The signature scheme of Standard Webhooks (https://github.com/standard-webhooks, "Signature scheme"). */

const prefix = 'whsec_'

/** Least and most bytes of a secret. */
export const secretBytesMin = 24
export const secretBytesMax = 64

/** The bytes of a secret such as `whsec_…`; null if the text is not a secret of 24 to 64 bytes. */
export function parseSecret(text: string): Buffer | null {
  if (!/^whsec_[0-9A-Za-z+/]+={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text.slice(prefix.length), 'base64')
  return bytes.length >= secretBytesMin && bytes.length <= secretBytesMax ? bytes : null
}

/**
 * The headers that sign a message.
 * @param secrets two while the secret is changed: a receiver accepts a message that either has signed.
 * @param timestamp the time of this attempt, in Unix seconds.
 */
export function signedHeaders(
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  timestamp: number,
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const signatures = secrets.map((secret) => {
    const key = parseSecret(secret)
    if (key === null) throw new TypeError('a secret was not checked when the configuration was read')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
