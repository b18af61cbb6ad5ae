/** The rules of a server about its clients, as the configuration has them. */

/** A key that the operator gave to a client. */
export interface ApiKey {
  /** Stands in metrics and limits. */
  readonly name: string
  /** The SHA-256 of the key, as 64 hex digits: who reads the configuration cannot use the key. */
  readonly hash: string
  /** Requests in a window; unlimited without it. */
  readonly rate?: number
  /** Milliseconds of handlers' time in a window; unlimited without it. */
  readonly cost?: number
}

/** Limits on the requests of one client in a window. */
export interface RateLimit {
  /** Requests; as many as the client likes without it. */
  readonly max?: number
  /** Milliseconds of handlers' time; as many as it takes without it. */
  readonly costMs?: number
  readonly windowSeconds: number
}

/** The beginnings of paths by the part of the interface that they belong to. */
export type PartPaths = Readonly<Record<string, readonly string[]>>

/** The parts of the interface that every server has. Wings add parts, and paths to these. */
export const ownPartPaths: PartPaths = {
  scan: ['/scan', '/badge'],
  events: ['/scan/events', '/scan/changes'],
  index: ['/index'],
  graphql: ['/graphql'],
  metrics: ['/metrics'],
  reference: [
    '/openapi.json',
    '/docs',
    '/llms.txt',
    '/.well-known/ai-catalog.json',
    '/.well-known/agent-skills',
  ],
}

/**
 * The web pages that may ask: all (`*`), those of this machine (`loopback`), or those of listed origins
 * (`https://app.example`). A request without an `Origin` comes from no page of another site.
 */
export type AllowedOrigins = '*' | 'loopback' | readonly string[]

export interface AccessRules {
  /** The parts that need a key. */
  readonly private: PartPaths
  /** Whether requests without a key are answered. */
  readonly anonymous: boolean
  readonly origins: AllowedOrigins
}

export const openAccess: AccessRules = { private: {}, anonymous: true, origins: '*' }

/** Adds up the paths of each part. */
export function joinPartPaths(all: readonly PartPaths[]): PartPaths {
  const joined: Record<string, readonly string[]> = {}
  for (const paths of all) {
    for (const [part, added] of Object.entries(paths)) joined[part] = [...(joined[part] ?? []), ...added]
  }
  return joined
}
