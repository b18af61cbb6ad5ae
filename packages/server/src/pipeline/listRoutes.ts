import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'

/** A route of a server. */
export interface ListedRoute {
  /** The path with its prefix; parameters as `:name`. */
  readonly path: string
  readonly methods: readonly string[]
  readonly config: FastifyContextConfig
}

/**
 * Lists the routes of a server. The description of the interface, the tools of models and the methods of a
 * path are functions of this list. It is complete once the server is ready.
 * @param prepare what is done to a route before it is listed.
 */
export function listRoutes(
  app: FastifyInstance,
  prepare: (route: RouteOptions) => void,
): readonly ListedRoute[] {
  const routes: ListedRoute[] = []
  app.addHook('onRoute', (route) => {
    prepare(route)
    routes.push({ path: route.url, methods: [route.method].flat(), config: route.config ?? {} })
  })
  return routes
}
