import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { AttestationFilter } from '@attestry/core/index/indexQueries.ts'
import type { PastReader } from '@attestry/core/index/indexReader.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { ApiContext } from '@attestry/server/apiContext.ts'
import { addEndpoint } from '@attestry/server/pipeline/addEndpoint.ts'
import {
  askedByListing,
  attestationFilterOf,
  attestationFilterParameters,
} from '@attestry/server/pipeline/parameters/attestationFilterParameters.ts'
import { refusedKeywordParameter } from '@attestry/server/pipeline/parameters/listingParameters.ts'
import type { ParameterValues } from '@attestry/server/pipeline/parameters/parameter.ts'
import { compositeId, exactly } from '@attestry/server/records/payloadSchemas.ts'
import { edgeColumns, withEdges, type Edge, type HeldEdges } from './edges.ts'
import type { ExportedFile, ExportSources } from './exportedFile.ts'
import { cellsOf, describeColumns } from './exportedRows.ts'
import type { ExportSource } from './exportPieces.ts'
import { formatCsvLine } from '@attestry/core/model/formatCsv.ts'
import { columnsOfEdges } from './parquet/parquetColumns.ts'

// Edges are of valid attestations: neither is a filter of them.
const { revoked: _revoked, expired: _expired, ...filters } = attestationFilterParameters
const parameters = { ...filters, keyword: refusedKeywordParameter } as const

type Values = ParameterValues<typeof parameters>
type EdgeFile = ExportedFile<typeof parameters, StoredAttestation>
type Slice = ExportSource<StoredAttestation>['slice']
type Sources = Pick<ExportSources, 'reader' | 'checkFields' | 'now'>

/** Attestations of which `/scan/edges` makes edges. */
const attestationsMax = 10_000

const edge = exactly(
  {
    from: Type.String({ description: 'The attester.' }),
    to: Type.String({ description: 'The recipient.' }),
    schema: compositeId('schema'),
    count: Type.Integer({ minimum: 1, description: 'Number of valid attestations.' }),
    first: Type.Integer({ minimum: 0, description: 'When the first was made, in Unix seconds.' }),
    last: Type.Integer({ minimum: 0, description: 'When the last was made, in Unix seconds.' }),
  },
  'All valid attestations of one account to one recipient under one schema.',
  'Edge',
)

const edgesAnswer = exactly(
  { rows: Type.Array(edge, { description: 'In the order of their first attestations.' }) },
  'The graph of who attested to whom.',
  'Edges',
)

const exampleEdge = {
  from: '0x742d35Cc6634C0532925a3b844Bc454e4438f44e',
  to: '0x878c92FD89d8E0B93Dc0a3c907A2adc7577e39c5',
  schema: 'onchain_evm_11155111_0x1a',
  count: 2,
  first: 1_700_000_000,
  last: 1_700_100_000,
}

/** Adds `/scan/edges`: the edges of a short list. */
export function addEdgesEndpoint(app: FastifyInstance, context: ApiContext, held: HeldEdges): void {
  addEndpoint(app, context, {
    path: '/scan/edges',
    summary: 'Who attested to whom: valid attestations by attester, recipient and schema',
    description: `Of at most ${attestationsMax.toLocaleString('en')} attestations; \`/scan/export/edges.ndjson\` has all.`,
    parameters,
    data: edgesAnswer,
    tool: {
      name: 'list_edges',
      description:
        'Who attested to whom: valid attestations added up by attester, recipient and schema. Narrow by schemaId, ' +
        'attester or recipient. An edge is no judgement of either account.',
    },
    about: (values) => ({ asOf: null, ...askedByListing(values) }),
    answer: async (reader, values) => {
      const filter = attestationFilterOf({ ...values, ...valid }, context.now)
      return { data: { rows: await listEdges({ ...context, reader }, held, filter) }, followsClock: true }
    },
  })
}

type EdgeReads = Pick<ExportSources, 'checkFields'> & {
  readonly reader: Pick<PastReader, 'sliceAttestations'>
}

/**
 * The edges of a short list.
 * @param filter null: no record can pass.
 * @throws BadParameterError, OverloadedError
 */
export async function listEdges(
  reads: EdgeReads,
  held: HeldEdges,
  filter: AttestationFilter | null,
): Promise<readonly Edge[]> {
  const slice = await sliceOf(reads, filter)
  const rows: Edge[] = []
  if (slice === null) return rows
  const all = async function* (edges: Iterable<Edge>) {
    yield* edges
  }
  for await (const edge of withEdges(slice, held, all, attestationsMax)) rows.push(edge)
  return rows
}

/** Edges are of valid attestations. */
export const valid = { revoked: false, expired: false } as const

/** The files of edges. */
export function edgeExports(sources: Sources & { readonly heldEdges: HeldEdges }): readonly EdgeFile[] {
  const { heldEdges: held } = sources
  const shared = {
    name: 'edges',
    parameters,
    source: async (values: Values) => {
      // The reads are at least as new as any answer before.
      await sources.reader.indexVersion()
      return await sliceOf(sources, attestationFilterOf({ ...values, ...valid }, sources.now))
    },
    about: (values: Values) => ({ asOf: null, ...askedByListing(values) }),
  }
  return [
    {
      ...shared,
      form: 'ndjson',
      description: { schema: edge, example: exampleEdge },
      open: (slice) =>
        Promise.resolve(
          withEdges(slice, held, (edges) => lines(edges, (edge) => `${JSON.stringify(edge)}\n`, '')),
        ),
    },
    {
      ...shared,
      form: 'csv',
      description: describeColumns(edgeColumns, false),
      open: (slice) =>
        Promise.resolve(
          withEdges(slice, held, (edges) =>
            lines(edges, (edge) => formatCsvLine(cellsOf(edge, edgeColumns)), formatCsvLine(edgeColumns)),
          ),
        ),
    },
    {
      ...shared,
      form: 'parquet',
      description: { schema: Type.String({ format: 'binary' }), example: 'PAR1…PAR1' },
      open: async (slice) => {
        const { parquetPieces } = await import('./parquet/parquetPieces.ts')
        const options = { columns: columnsOfEdges, metadata: {}, author: 'attestry', group }
        return withEdges(slice, held, (edges) => parquetPieces(rowsOf(edges), options))
      },
    },
  ]
}

const group = { rowsMax: 10_000, lengthMax: 4 * 1024 * 1024 }

/** Edges of a turn of the event loop. */
const edgesPerPiece = 500

async function sliceOf(
  { reader, checkFields }: EdgeReads,
  filter: AttestationFilter | null,
): Promise<Slice | null> {
  const found = await checkFields(filter)
  if (found === null) return null
  return (after, limit) => {
    const request = { filter: found, order: 'oldestFirst', after, limit } as const
    return reader.sliceAttestations(request, { detail: false, schema: false })
  }
}

async function* lines(
  edges: Iterable<Edge>,
  format: (edge: Edge) => string,
  head: string,
): AsyncGenerator<string> {
  let piece = head
  let count = 0
  for (const edge of edges) {
    piece += format(edge)
    if (++count % edgesPerPiece > 0) continue
    yield piece
    piece = ''
    await nextTurn()
  }
  if (piece !== '') yield piece
}

async function* rowsOf(edges: Iterable<Edge>) {
  for (const edge of edges)
    yield { row: { change: 'new', record: { ...edge }, payload: null }, length: 200 } as const
}
