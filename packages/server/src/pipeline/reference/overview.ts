import { Type } from 'typebox'
import type { Operation } from '../endpoint.ts'
import { successEnvelope } from '../envelope.ts'
import type { DescribedRoute } from './createOpenApiDocument.ts'

/** The prefixes whose own path lists the paths under it. */
export const listedPrefixes = ['/scan', '/index'] as const

const link = (description: string, path: string) => Type.String({ description, examples: [path] })

const overview = Type.Object(
  {
    documentation: link('The page that describes every path, for browsers.', '/docs'),
    openapi: link('The OpenAPI document.', '/openapi.json'),
    paths: Type.Array(
      Type.Object(
        {
          method: Type.Enum(['GET', 'POST'], { description: 'Paths of GET also answer HEAD.' }),
          path: Type.String({ description: 'The path.', examples: ['/scan/schemas/{id}'] }),
          summary: Type.String({ description: 'What it answers.' }),
        },
        { additionalProperties: false, description: 'A path.' },
      ),
      { description: 'The paths, in the order of their names.' },
    ),
  },
  { additionalProperties: false, description: 'What there is.' },
)

/** The description of the path of a prefix itself. */
export function overviewOperation(prefix: string): Operation {
  return {
    summary: `The paths under ${prefix}, and where they are described`,
    description: 'The methods and summaries of the paths, and the addresses of the reference.',
    parameters: {},
    data: overview,
  }
}

/**
 * The answer of the path of a prefix itself: what stands under it.
 * @param base what the paths begin with: `/api`, or nothing.
 */
export function overviewAnswer(prefix: string, base: string, routes: readonly DescribedRoute[]): string {
  const paths = routes
    .filter(({ path }) => path.startsWith(`${prefix}/`))
    .map(({ path, operation: { method = 'get', summary } }) => ({
      method: method.toUpperCase(),
      path: base + path.replaceAll(/:(\w+)/g, '{$1}'),
      summary,
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return successEnvelope({ documentation: `${base}/docs`, openapi: `${base}/openapi.json`, paths })
}
