import type { ListedRoute } from './listRoutes.ts'

/**
 * The routes of a server by their paths. The router does not list the methods of a path for a request that no route
 * takes; this table does.
 */
export interface RouteTable {
  find(url: string): FoundPath | null
}

export interface FoundPath {
  /** The methods that the path has a route for, sorted. */
  readonly methods: readonly string[]
  /** The path's parameters from the request, still percent-encoded. */
  readonly rawParameters: Readonly<Record<string, string>>
}

/** The table of a server's routes, without paths with a wildcard and routes that only refuse their methods. */
export function createRouteTable(list: readonly ListedRoute[]): RouteTable {
  const routes = new Map<string, { readonly segments: readonly string[]; readonly methods: Set<string> }>()
  for (const { path, methods, config } of list) {
    if (path.includes('*') || config.isRefused === true) continue
    const segments = splitPath(path)
    const pattern = segments.map((segment) => (segment.startsWith(':') ? ':' : segment)).join('/')
    const route = routes.get(pattern) ?? { segments, methods: new Set() }
    for (const method of methods) route.methods.add(method)
    routes.set(pattern, route)
  }
  return {
    find(url) {
      const segments = splitPath(url)
      let found: FoundPath | null = null
      for (const route of routes.values()) {
        const rawParameters = matchSegments(route.segments, segments)
        if (rawParameters === null) continue
        found = { methods: [...route.methods].sort(), rawParameters }
        // As in the router, a path of its own goes before one with a parameter in its place.
        if (Object.keys(rawParameters).length === 0) return found
      }
      return found
    },
  }
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null
  const parameters: Record<string, string> = {}
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (expected.startsWith(':')) {
      if (segment === '') return null
      parameters[expected.slice(1)] = segment
    } else if (expected !== segment) {
      return null
    }
  }
  return parameters
}

/** The segments of a path, one trailing slash and the origin that a proxy may put before it aside. */
function splitPath(url: string): string[] {
  const path = url.replace(/[?#].*$/s, '').replace(/^[a-z]+:\/\/[^/]*/i, '')
  return (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path).split('/')
}
