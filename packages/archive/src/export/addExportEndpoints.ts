import type { FastifyInstance } from 'fastify'
import { createFairShares, type FairShares } from '@attestry/core/shares/fairShares.ts'
import type { Slice } from '@attestry/core/index/indexQueries.ts'
import { ignoredHeaders } from '@attestry/server/pipeline/answers/ignoredHeader.ts'
import type { Freshness } from '@attestry/server/pipeline/freshness/createFreshness.ts'
import { formatBehind } from '@attestry/server/pipeline/freshness/formatBehind.ts'
import { behindHeaderName } from '@attestry/server/pipeline/headers.ts'
import { formatVersion, versionHeader } from '@attestry/server/pipeline/indexVersion.ts'
import type { ParameterSet } from '@attestry/server/pipeline/parameters/parameter.ts'
import { createParameterReader } from '@attestry/server/pipeline/parameters/readParameters.ts'
import { attestationExports } from './attestationExports.ts'
import { exportLimitDefaults, type ExportLimits } from './exportPlaces.ts'
import { fileForms, type ExportedFile, type ExportSources } from './exportedFile.ts'
import { edgeExports } from './edgeExports.ts'
import type { HeldEdges } from './edges.ts'
import { schemaExports } from './schemaExports.ts'
import { isDisconnection, sendExport, type ExportPiece } from './sendExport.ts'

export interface ExportOptions extends ExportSources {
  readonly heldEdges: HeldEdges
  readonly freshness: Freshness
  readonly limits?: Partial<ExportLimits>
  readonly onFailure: (error: unknown) => void
}

/** Answers the function that adds the endpoints to a scope; exports of all scopes are counted together. */
export function createExportEndpoints(options: ExportOptions): (scope: FastifyInstance) => void {
  const { reader, freshness, onFailure } = options
  const limits = { ...exportLimitDefaults, ...options.limits }
  const places = createFairShares({
    total: limits.exportsMax,
    windowMs: null,
    refusal: 'Too many exports run already, of all clients or of this one; try again later.',
  })
  const shared = { reader, freshness, limits, places, onFailure }
  return (scope) => {
    for (const file of attestationExports(options)) addExport(scope, shared, file)
    for (const file of schemaExports(options)) addExport(scope, shared, file)
    for (const file of edgeExports(options)) addExport(scope, shared, file)
  }
}

interface Shared {
  readonly reader: ExportOptions['reader']
  readonly freshness: Freshness
  readonly limits: ExportLimits
  readonly places: FairShares
  readonly onFailure: (error: unknown) => void
}

function addExport<const Set extends ParameterSet, Row>(
  scope: FastifyInstance,
  { reader, freshness, limits, places, onFailure }: Shared,
  { name, form, parameters, description, source, about, open }: ExportedFile<Set, Row>,
): void {
  const readParameters = createParameterReader(parameters)
  const { title, mediaType, suffix } = fileForms[form]
  scope.route({
    method: ['GET', 'HEAD'],
    url: `/scan/export/${name}.${form}`,
    config: {
      operation: {
        summary: `All ${name} that pass the filters, oldest first, as ${title}`,
        description: 'The whole listing in one answer. `keyword` and pages do not apply.',
        parameters,
        body: {
          mediaType,
          description: 'The file. If the index cannot be read to its end, the connection is broken off.',
          ...description,
        },
      },
    },
    handler: async (request, reply) => {
      const { values, ignored } = readParameters({}, request.raw.url ?? '')
      const slice = (await source(values)) ?? emptySlice
      const leave = places.take()
      let opened: AsyncGenerator<ExportPiece> | undefined
      try {
        const version = await reader.indexVersion()
        const behind = formatBehind(await (await freshness.at(version)).behind(about(values)))
        opened = await open(slice, values)
        const pieces = await begin(opened)
        const headers = {
          'content-type': `${mediaType}${suffix}`,
          'content-disposition': `attachment; filename="${name}.${form}"`,
          [versionHeader]: formatVersion(version),
          ...(behind === null ? {} : { [behindHeaderName]: behind }),
        }
        const sent = { headers, ownHeaders: ignoredHeaders(ignored), isCompressed: form === 'parquet' }
        await sendExport(request, reply, sent, pieces, limits)
      } catch (error) {
        if (!reply.sent) throw error
        // The headers are sent. Only a broken connection can tell the client that the export is incomplete.
        reply.raw.destroy()
        if (!isDisconnection(error)) onFailure(error)
      } finally {
        leave()
        await opened?.return(undefined)
      }
    },
  })
}

function emptySlice(): Promise<Slice<never>> {
  return Promise.resolve({ rows: [], hasMore: false, scannedTo: null })
}

/** Reads the first piece, so that a read that fails at once is answered with the status of its error. */
async function begin(pieces: AsyncGenerator<ExportPiece>): Promise<AsyncGenerator<ExportPiece>> {
  const first = await pieces.next()
  return (async function* () {
    if (first.done !== true) yield first.value
    yield* pieces
  })()
}
