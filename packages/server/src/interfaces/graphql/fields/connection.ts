import type {
  AttestationFilter,
  SchemaFilter,
  Slice,
  SliceRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { formatRowCursor } from '../../../pipeline/rowCursor.ts'
import type { ArgumentValues } from '../execution/plan.ts'
import { readConnection, type ConnectionRequest } from '../input/readConnection.ts'
import type { RequestContext } from '../requestContext.ts'
import type { FieldInfo, TypeBehaviour } from './fieldBehaviour.ts'
import { attestationFieldsFor } from './attestationFieldsFor.ts'
import { schemaNode, type SchemaNode } from './schemaNode.ts'

/** The rows of a filter, read once, when the first field asks for them. */
export interface Connection<Node> {
  page(): Promise<ConnectionPage<Node>>
  count(): Promise<number>
}

interface ConnectionPage<Node> {
  readonly edges: readonly ConnectionEdge<Node>[]
  readonly pageInfo: PageInfo
}

interface ConnectionEdge<Node> {
  readonly place: RowPlace
  readonly node: Node
}

interface PageInfo {
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
  readonly startCursor: string | null
  readonly endCursor: string | null
}

/** Reads of one kind of record, for a filter. */
export interface ConnectedReads<Filter, Row, Node> {
  slice(request: SliceRequest<Filter>): Promise<Slice<Row>>
  count(filter: Filter): Promise<number>
  toNodes(rows: Slice<Row>['rows']): readonly Node[] | Promise<readonly Node[]>
}

/**
 * The rows that pass a filter; null means that none can.
 * @throws BadParameterError if the arguments are wrong.
 */
export function connect<Filter, Row, Node>(
  filter: Filter | null,
  values: ArgumentValues,
  { countRows }: Pick<RequestContext, 'countRows'>,
  reads: ConnectedReads<Filter, Row, Node>,
): Connection<Node> {
  const request = readConnection(values)
  if (filter === null) return emptyConnection
  return {
    page: once(() => readPage(request, (slice) => reads.slice({ ...slice, filter }), reads.toNodes)),
    count: once(() => countRows(() => reads.count(filter))),
  }
}

export function connectAttestations(
  filter: AttestationFilter | null,
  values: ArgumentValues,
  context: RequestContext,
  info: FieldInfo,
): Connection<StoredAttestation> {
  const { reader } = context
  return connect(filter, values, context, {
    slice: (request: SliceRequest<AttestationFilter>) =>
      reader.sliceAttestations(request, attestationFieldsFor(info)),
    count: (each) => reader.countAttestations(each),
    toNodes: (rows) => rows,
  })
}

export function connectSchemas(
  filter: SchemaFilter | null,
  values: ArgumentValues,
  context: RequestContext,
): Connection<SchemaNode> {
  const { reader } = context
  return connect(filter, values, context, {
    slice: (request: SliceRequest<SchemaFilter>) => reader.sliceSchemas(request),
    count: (each) => reader.countSchemas(each),
    toNodes: (rows) => rows.map(schemaNode),
  })
}

/** The fields of a type of connections. */
export const connectionFields: TypeBehaviour<Connection<unknown>> = {
  totalCount: (source) => source.count(),
  edges: async (source) => (await source.page()).edges,
  nodes: async (source) => (await source.page()).edges.map(({ node }) => node),
  pageInfo: async (source) => (await source.page()).pageInfo,
}

/** The fields of a type of edges. */
export const edgeFields: TypeBehaviour<ConnectionEdge<unknown>> = {
  cursor: ({ place }) => formatRowCursor(place),
}

export const connectionBehaviours = {
  AttestationConnection: connectionFields,
  SchemaConnection: connectionFields,
  AttestationEdge: edgeFields,
  SchemaEdge: edgeFields,
}

const emptyConnection: Connection<never> = {
  page: () =>
    Promise.resolve({
      edges: [],
      pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
    }),
  count: () => Promise.resolve(0),
}

type ReadSlice<Row> = (slice: Omit<SliceRequest<never>, 'filter'>) => Promise<Slice<Row>>

/**
 * Reads the rows by one slice, from the cursor next to them; backward, in the opposite order. The other cursor cuts the
 * slice off.
 */
async function readPage<Row, Node>(
  request: ConnectionRequest,
  readSlice: ReadSlice<Row>,
  toNodes: (rows: Slice<Row>['rows']) => readonly Node[] | Promise<readonly Node[]>,
): Promise<ConnectionPage<Node>> {
  const { order, direction, count, after, before } = request
  const isForward = direction === 'forward'
  const walk = isForward ? order : opposite(order)
  const [from, bound] = isForward ? [after, before] : [before, after]
  // One extra row shows whether more rows follow, also where no row is asked for.
  const limit = bound === null ? Math.max(count, 1) : count + 1
  const slice = await readSlice({ order: walk, after: from, limit })
  const inside = slice.rows.filter(({ place }) => bound === null || comesBefore(walk, place, bound))
  const rows = inside.slice(0, count)
  const isCut = inside.length < slice.rows.length
  const hasMore = rows.length < inside.length || (!isCut && slice.hasMore)
  const end = isCut || rows.length < inside.length ? null : slice.scannedTo
  if (!isForward) rows.reverse()
  const nodes = await toNodes(rows)
  const edges = rows.map(({ place }, index) => ({ place, node: nodes[index] as Node }))
  const [hasNextPage, hasPreviousPage] = isForward ? [hasMore, after !== null] : [before !== null, hasMore]
  // If the walk ended early, the next page begins after the last row that was visited.
  const [start, stop] = isForward ? [null, end] : [end, null]
  return {
    edges,
    pageInfo: {
      hasNextPage,
      hasPreviousPage,
      startCursor: formatPlace(start ?? edges[0]?.place),
      endCursor: formatPlace(stop ?? edges.at(-1)?.place),
    },
  }
}

function formatPlace(place: RowPlace | undefined): string | null {
  return place === undefined ? null : formatRowCursor(place)
}

function opposite(order: ConnectionRequest['order']): ConnectionRequest['order'] {
  return order === 'newestFirst' ? 'oldestFirst' : 'newestFirst'
}

function comesBefore(order: ConnectionRequest['order'], a: RowPlace, b: RowPlace): boolean {
  const difference = a.timestamp - b.timestamp || a.chainId - b.chainId || a.position - b.position
  return order === 'newestFirst' ? difference > 0 : difference < 0
}

/** Reads once, when the first caller asks. */
export function once<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () => (result ??= read())
}
