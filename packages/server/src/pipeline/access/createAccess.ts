import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { KeyRequiredError, OriginRefusedError } from '@attestry/core/errors/apiErrors.ts'
import type { AccessRules, AllowedOrigins } from '@attestry/host/config/accessRules.ts'
import { quoteInput } from '../quoteInput.ts'
import type { FindKey } from './apiKeys.ts'

/** The access rule of a server: which clients may ask which paths. */
export interface Access {
  /** Whether a request for a path as a route has it is answered. */
  mayAsk(request: IncomingMessage, path: string): boolean
  /**
   * The same, as an error.
   * @throws OriginRefusedError
   * @throws KeyRequiredError
   */
  check(request: IncomingMessage, path: string): void
}

/** @param aliasPrefix the second base of all paths. */
export function createAccess(rules: AccessRules, findKey: FindKey, aliasPrefix: string): Access {
  const prefixes = Object.values(rules.private).flat()
  const isPrivate = (path: string): boolean => {
    const own = path.startsWith(`${aliasPrefix}/`) ? path.slice(aliasPrefix.length) : path
    return prefixes.some((prefix) => own === prefix || own.startsWith(`${prefix}/`))
  }

  function check(request: IncomingMessage, path: string): void {
    const { headers, method } = request
    const allowed = originsOf(rules.origins, path)
    if (headers.origin !== undefined && !isAllowedOrigin(headers.origin, headers.host, allowed)) {
      throw new OriginRefusedError(
        `Pages of ${quoteInput(headers.origin)} may not ask this server; its operator can list them in server.origins.`,
      )
    }
    // A preflight never carries a key.
    if (method === 'OPTIONS' || (rules.anonymous && !isPrivate(path))) return
    if (findKey(request) !== null) return
    throw new KeyRequiredError('This path needs a key of its operator; send one in the header x-api-key.')
  }

  return {
    check,
    mayAsk(request, path) {
      try {
        check(request, path)
        return true
      } catch {
        return false
      }
    },
  }
}

/** `/mcp` never takes pages of unknown sites, as its specification demands: a page could use the reader's tools. */
function originsOf(origins: AllowedOrigins, path: string): AllowedOrigins {
  return origins === '*' && path.endsWith('/mcp') ? [] : origins
}

const loopbackNames = /^(?:localhost|.+\.localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])$/

/** Whether a page of an origin may ask: one that is allowed, or a page that this server itself sent. */
function isAllowedOrigin(origin: string, host: string | undefined, allowed: AllowedOrigins): boolean {
  if (allowed === '*') return true
  const url = URL.parse(origin)
  if (url === null) return false
  // `Host` proves nothing here: an attacker can let a name of its own lead to this machine.
  if (allowed === 'loopback') return loopbackNames.test(url.hostname)
  return allowed.includes(url.origin) || url.host === host
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether the route is answered whoever asks. */
    readonly isPublic?: boolean
  }
}

/** Checks each request that a route takes, by the path of the route; health is always answered. */
export function checkAccess(app: FastifyInstance, access: Access): void {
  app.addHook('onRequest', ({ raw, is404, routeOptions }, _reply, done) => {
    if (!is404 && routeOptions.config.isPublic === true) return done()
    try {
      access.check(raw, is404 ? '' : (routeOptions.url ?? ''))
      done()
    } catch (error) {
      done(error as Error)
    }
  })
}
