import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OverloadedError } from '../../errors/apiErrors.ts'
import type { UnixMilliseconds } from '../../model/time.ts'
import type { Slice } from '../../store/indexQueries.ts'
import type { IndexReader } from '../../store/indexReader.ts'
import type { StoredAttestation, StoredSchema } from '../../store/storedRecords.ts'
import { createCompressor } from '../answers/compress.ts'
import { negotiateEncoding } from '../answers/negotiateEncoding.ts'
import { ignoredHeaders } from '../answers/ignoredHeader.ts'
import { takeResponse } from '../answers/sendAnswer.ts'
import { corsHeaders } from '../headers.ts'
import { formatVersion, versionHeader } from '../indexVersion.ts'
import {
  attestationFilterOf,
  attestationFilterParameters,
} from '../parameters/attestationFilterParameters.ts'
import type { CheckFields } from '../parameters/checkFields.ts'
import type { ParameterSet, ParameterValues } from '../parameters/parameter.ts'
import { refusedKeywordParameter } from '../parameters/listingParameters.ts'
import { createParameterReader } from '../parameters/readParameters.ts'
import { schemaFilterOf, schemaFilterParameters } from '../parameters/schemaFilterParameters.ts'
import {
  attestationColumns,
  describeColumns,
  exportedAttestation,
  exportedSchema,
  schemaColumns,
} from './exportedRows.ts'
import { exportPieces, type ExportSource } from './exportPieces.ts'
import { formatCsvLine } from './formatCsv.ts'

export interface ExportOptions {
  readonly reader: IndexReader
  readonly checkFields: CheckFields
  readonly now: () => UnixMilliseconds
  readonly limits?: Partial<ExportLimits>
  /** The client of a request. */
  readonly clientOf: (request: IncomingMessage) => string
  readonly onFailure: (error: unknown) => void
}

export interface ExportLimits {
  /** Exports at the same time; more are refused with 503. */
  readonly exportsMax: number
  /** The same of one client, so that it never takes all places. */
  readonly exportsOfClientMax: number
  /** A client that reads no bytes for this long is cut off: it occupies a place that another client could use. */
  readonly stallMs: number
  /** Characters a second that a client must take on average, once it was waited for as long as `stallMs`. */
  readonly leastRate: number
}

/** The fastest levels: at higher ones an export would wait for its compression. */
const effort = { br: 1, gzip: 1 }

const limitDefaults: ExportLimits = {
  exportsMax: 8,
  exportsOfClientMax: 4,
  stallMs: 60_000,
  leastRate: 16 * 1024,
}

/** Seconds after which a refused client may try again. */
const retryAfterSeconds = 10

const forms = {
  ndjson: { mediaType: 'application/x-ndjson', contentType: 'application/x-ndjson; charset=utf-8' },
  csv: { mediaType: 'text/csv', contentType: 'text/csv; charset=utf-8; header=present' },
} as const

type Form = keyof typeof forms

/** One list that can be exported. `source` returns null where no row can pass the filter. */
interface ExportedList<Set extends ParameterSet, Row> {
  readonly name: string
  readonly parameters: Set
  readonly columns: readonly string[]
  readonly present: (row: Row) => string
  readonly source: (values: ParameterValues<Set>) => Promise<ExportSource<Row>['slice'] | null>
}

const attestationParameters = { ...attestationFilterParameters, keyword: refusedKeywordParameter } as const
const schemaParameters = { ...schemaFilterParameters, keyword: refusedKeywordParameter } as const

/** Answers the function that adds the endpoints to a scope; exports of all scopes are counted together. */
export function createExportEndpoints(options: ExportOptions): (scope: FastifyInstance) => void {
  const { reader, checkFields, now } = options
  const limits = { ...limitDefaults, ...options.limits }
  const running: RunningExports = { count: 0, byClient: new Map() }
  const attestations: ExportedList<typeof attestationParameters, StoredAttestation> = {
    name: 'attestations',
    parameters: attestationParameters,
    columns: attestationColumns,
    present: exportedAttestation,
    source: async (values) => {
      const filter = attestationFilterOf(values, now)
      await checkFields(filter)
      const fields = { detail: true, schema: true }
      if (filter === null) return null
      return async (after, limit) => {
        // This read is at least as new as any answer before.
        await reader.indexVersion()
        return await reader.sliceAttestations({ filter, order: 'oldestFirst', after, limit }, fields)
      }
    },
  }
  const schemas: ExportedList<typeof schemaParameters, StoredSchema> = {
    name: 'schemas',
    parameters: schemaParameters,
    columns: schemaColumns,
    present: exportedSchema,
    source: async (values) => {
      const filter = schemaFilterOf(values)
      if (filter === null) return null
      return async (after, limit) => {
        await reader.indexVersion()
        return await reader.sliceSchemas({ filter, order: 'oldestFirst', after, limit })
      }
    },
  }
  const { clientOf, onFailure } = options
  const shared = { reader, limits, running, clientOf, onFailure }
  return (scope) => {
    for (const form of ['ndjson', 'csv'] as const) {
      addExport(scope, shared, attestations, form)
      addExport(scope, shared, schemas, form)
    }
  }
}

interface Shared {
  readonly reader: ExportOptions['reader']
  readonly limits: ExportLimits
  readonly running: RunningExports
  readonly clientOf: ExportOptions['clientOf']
  readonly onFailure: (error: unknown) => void
}

function addExport<const Set extends ParameterSet, Row>(
  scope: FastifyInstance,
  { reader, limits, running, clientOf, onFailure }: Shared,
  { name, parameters, columns, present, source }: ExportedList<Set, Row>,
  form: Form,
): void {
  const readParameters = createParameterReader(parameters)
  const { mediaType, contentType } = forms[form]
  const formatRow = form === 'ndjson' ? (row: Row) => `${present(row)}\n` : csvRow(columns, present)
  scope.route({
    method: ['GET', 'HEAD'],
    url: `/scan/export/${name}.${form}`,
    config: {
      operation: {
        summary: `All ${name} that pass the filters, oldest first, as ${form === 'csv' ? 'CSV' : 'NDJSON'}`,
        parameters,
        body: {
          mediaType,
          description: 'The file. If the index cannot be read to its end, the connection is broken off.',
          ...describeColumns(columns, form === 'ndjson'),
        },
      },
    },
    handler: async (request, reply) => {
      const { values, ignored } = readParameters({}, request.raw.url ?? '')
      const slice = (await source(values)) ?? emptySlice
      const leave = takePlace(running, clientOf(request.raw), limits)
      try {
        const version = await reader.indexVersion()
        const pieces = await begin(exportPieces({ slice, formatRow }))
        const header = form === 'csv' ? formatCsvLine(columns) : ''
        const headers = {
          'content-type': contentType,
          'content-disposition': `attachment; filename="${name}.${form}"`,
          [versionHeader]: formatVersion(version),
        }
        await send(
          request,
          reply,
          { headers, ownHeaders: ignoredHeaders(ignored) },
          withHeader(header, pieces),
          limits,
        )
      } catch (error) {
        if (!reply.sent) throw error
        // The headers are sent. Only a broken connection can tell the client that the export is incomplete.
        reply.raw.destroy()
        if (!isDisconnection(error)) onFailure(error)
      } finally {
        leave()
      }
    },
  })
}

/** The exports that run, of all and of each client. */
interface RunningExports {
  count: number
  readonly byClient: Map<string, number>
}

/**
 * Takes a place for an export; the returned function gives the place back.
 * @throws OverloadedError where all places are taken, or all that one client may have.
 */
function takePlace(
  running: RunningExports,
  client: string,
  { exportsMax, exportsOfClientMax }: ExportLimits,
): () => void {
  const own = running.byClient.get(client) ?? 0
  if (running.count >= exportsMax || own >= exportsOfClientMax) {
    const whose = running.count >= exportsMax ? 'Too many exports' : 'Too many exports of this client'
    throw new OverloadedError(`${whose} run already; try again later.`, retryAfterSeconds)
  }
  running.count += 1
  running.byClient.set(client, own + 1)
  return () => {
    running.count -= 1
    const left = (running.byClient.get(client) ?? 1) - 1
    if (left === 0) running.byClient.delete(client)
    else running.byClient.set(client, left)
  }
}

function csvRow<Row>(columns: readonly string[], present: (row: Row) => string): (row: Row) => string {
  return (row) => {
    // The text is JSON of an object that was made here.
    const members = JSON.parse(present(row)) as Record<string, unknown>
    return formatCsvLine(columns.map((column) => members[column]))
  }
}

function emptySlice(): Promise<Slice<never>> {
  return Promise.resolve({ rows: [], hasMore: false, scannedTo: null })
}

/** Reads the first piece, so that a read that fails at once is answered with the status of its error. */
async function begin(pieces: AsyncGenerator<string>): Promise<AsyncGenerator<string>> {
  const first = await pieces.next()
  return (async function* () {
    if (first.done !== true) yield first.value
    yield* pieces
  })()
}

async function* withHeader(header: string, pieces: AsyncGenerator<string>): AsyncGenerator<string> {
  if (header !== '') yield header
  yield* pieces
}

interface SentHeaders {
  readonly headers: Readonly<Record<string, string>>
  /** Those of this request alone, names and values in turn; null for none. */
  readonly ownHeaders: readonly string[] | null
}

/** Sends pieces as fast as the network takes them; at any time, two or so are in memory. */
async function send(
  { raw, method }: FastifyRequest,
  reply: FastifyReply,
  { headers, ownHeaders }: SentHeaders,
  pieces: AsyncGenerator<string>,
  limits: ExportLimits,
): Promise<void> {
  const coding = negotiateEncoding(raw.headers['accept-encoding'])
  const response = takeResponse(reply, ownHeaders)
  response.writeHead(200, {
    ...corsHeaders,
    ...headers,
    'cache-control': 'no-store',
    vary: 'accept-encoding',
    ...(coding === 'identity' ? {} : { 'content-encoding': coding }),
  })
  if (method === 'HEAD') {
    response.end()
    await pieces.return(undefined)
    return
  }
  const stall = setTimeout(() => response.destroy(), limits.stallMs)
  try {
    const source = Readable.from(inTime(stall, pieces, limits), { highWaterMark: 1 })
    if (coding === 'identity') await pipeline(source, response)
    else await pipeline(source, createCompressor(coding, effort), response)
  } finally {
    clearTimeout(stall)
  }
}

/**
 * Restarts the timer at each piece: a client that reads nothing asks for no pieces. Ends where a client reads so slowly
 * that it holds its place for longer than the export is worth.
 */
async function* inTime(
  timer: NodeJS.Timeout,
  pieces: AsyncGenerator<string>,
  { stallMs, leastRate }: ExportLimits,
): AsyncGenerator<string> {
  let taken = 0
  let waitedMs = 0
  for await (const piece of pieces) {
    timer.refresh()
    taken += piece.length
    const startMs = performance.now()
    yield piece
    waitedMs += performance.now() - startMs
    if (waitedMs > stallMs && taken < (waitedMs / 1_000) * leastRate) throw new SlowReaderError()
  }
}

/** The reader of an export takes less than it must; the connection is broken off. */
class SlowReaderError extends Error {}

function isDisconnection(error: unknown): boolean {
  if (error instanceof SlowReaderError) return true
  const code = error instanceof Error && 'code' in error ? error.code : null
  return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' || code === 'EPIPE'
}
