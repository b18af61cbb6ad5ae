import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { ApiKey } from '@attestry/host/config/accessRules.ts'

/** A new key: 256 random bits behind a prefix by which scanners of secrets find it. */
export function newKey(): string {
  return `attestry_${randomBytes(32).toString('base64url')}`
}

export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

const keyHeaders = ['x-api-key', 'x-sign-api-key', 'authorization'] as const

/** The headers of a request that carry its key, for a request that is made on its behalf. */
export function keyHeadersOf(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    keyHeaders.flatMap((name) => {
      const value = headers[name]
      return typeof value === 'string' ? [[name, value]] : []
    }),
  )
}

/** Finds the key that a request sends; null for none and for one that the operator gave to nobody. */
export type FindKey = (request: IncomingMessage) => ApiKey | null

export function createFindKey(keys: readonly ApiKey[]): FindKey {
  if (keys.length === 0) return () => null
  const byHash = new Map(keys.map((key) => [key.hash.toLowerCase(), key]))
  return ({ headers }) => {
    const sent = headers['x-api-key'] ?? headers['x-sign-api-key'] ?? bearerOf(headers.authorization)
    return typeof sent === 'string' ? (byHash.get(hashKey(sent)) ?? null) : null
  }
}

/** Prometheus and most clients of the Model Context Protocol send keys so. */
function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}
