import type { FastifyContextConfig } from 'fastify'
import createRouter, { type HTTPMethod } from 'find-my-way'
import { urlLengthMax } from './errorAnswer.ts'
import type { ListedRoute } from './listRoutes.ts'

export interface FoundPath {
  /** The methods that the path has a route for, sorted. */
  readonly methods: readonly string[]
  /** The path's parameters from the request, still percent-encoded. */
  readonly rawParameters: Readonly<Record<string, string>>
}

/** The routes of a server by their paths. */
export interface RouteTable {
  /** The path of a request that no route takes, for which the server's router lists no methods; null for no path. */
  find(url: string): FoundPath | null
}

const noQuery = {}

/**
 * The table of a server's routes, without paths with a wildcard. Finds by the library that routes the other requests, so
 * that what is found here is what the router finds.
 */
export function createRouteTable(list: readonly ListedRoute[]): RouteTable {
  const router = createRouter({
    ignoreTrailingSlash: true,
    maxParamLength: urlLengthMax,
    querystringParser: () => noQuery,
  })
  const routes = list.filter(({ path }) => !path.includes('*'))
  for (const { path, methods, config } of routes) router.on(methods as HTTPMethod[], path, notHandled, config)
  const known = [...new Set(routes.flatMap(({ methods }) => methods))].sort() as HTTPMethod[]
  return {
    find(url) {
      // The router decodes parameters: what is escaped once more stays as it was sent.
      const raw = url.replaceAll('%', '%25')
      const found = known.flatMap((method) => {
        const route = router.find(method, raw)
        if (route === null || (route.store as FastifyContextConfig).isRefused === true) return []
        const rawParameters = { ...(route.params as FoundPath['rawParameters']) }
        // An empty segment makes another path.
        return Object.values(rawParameters).includes('') ? [] : [{ method, rawParameters }]
      })
      // As in the router, a path of its own goes before one with a parameter in its place.
      const own = found.filter(({ rawParameters }) => Object.keys(rawParameters).length === 0)
      const taken = own.length > 0 ? own : found
      const [first] = taken
      if (first === undefined) return null
      return { methods: taken.map(({ method }) => method), rawParameters: first.rawParameters }
    },
  }
}

/** The routes of this table are found, and never handled. */
function notHandled(): void {}
