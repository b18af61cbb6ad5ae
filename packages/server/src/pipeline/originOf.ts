import type { FastifyRequest } from 'fastify'

/**
 * The origin that a client asked, such as `https://index.example`: what documents call the server. Null for a malformed
 * `Host`. Caches must know that a document follows it: `vary: host, x-forwarded-proto`.
 */
export function originOf({ headers }: FastifyRequest): string | null {
  const { host = '' } = headers
  if (!/^(?:[\w.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(host)) return null
  const forwarded = headers['x-forwarded-proto']?.toString().split(',')[0]?.trim()
  return `${forwarded === 'https' ? 'https' : 'http'}://${host}`
}
