import type { ServedWing } from '@attestry/server/wing.ts'
import { edgeGraphql } from './edgeGraphql.ts'
import { addEdgesEndpoint } from './edgeExports.ts'
import { createHeldEdges } from './edges.ts'
import { createExportEndpoints } from './addExportEndpoints.ts'
import type { ExportLimits } from './exportPlaces.ts'

/** Whole lists as files: the endpoints under `/scan/export`. */
export function serveExports(limits: Partial<ExportLimits> = {}): ServedWing {
  const heldEdges = createHeldEdges()
  return {
    graphql: edgeGraphql(heldEdges),
    endpoints: ({ context, logFailure }) => {
      const { reader, freshness, checkFields, decodePayload, content, now } = context
      const onFailure = logFailure('an export broke off')
      const sources = { reader, freshness, checkFields, decodePayload, content, now }
      const addExports = createExportEndpoints({ ...sources, heldEdges, limits, onFailure })
      return (scope) => {
        addExports(scope)
        addEdgesEndpoint(scope, context, heldEdges)
      }
    },
  }
}
