import type { AgentFilter } from '@attestry/core/index/agentQueries.ts'
import type {
  AttestationFilter,
  SchemaFilter,
  Slice,
  SliceRequest,
} from '@attestry/core/index/indexQueries.ts'
import type { RowPlace, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { idOfAgent, readDirectory } from '@attestry/agents/agentDirectory.ts'
import { formatRowCursor } from '../../pipeline/rowCursor.ts'
import type { ArgumentValues } from '../execution/plan.ts'
import { readConnection, type ConnectionRequest } from '../input/readConnection.ts'
import type { RequestContext } from '../requestContext.ts'
import type { FieldInfo, TypeBehaviour } from './fieldBehaviour.ts'
import { agentNode, type AgentNode } from './agentNode.ts'
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

/**
 * The attestations that pass a filter; null means that none can.
 * @throws BadParameterError where the arguments are wrong.
 */
export function connectAttestations(
  filter: AttestationFilter | null,
  values: ArgumentValues,
  { reader, countRows }: RequestContext,
  info: FieldInfo,
): Connection<StoredAttestation> {
  const request = readConnection(values)
  if (filter === null) return emptyConnection
  const fields = attestationFieldsFor(info)
  return {
    page: once(async () =>
      readPage(
        request,
        (slice) => reader.sliceAttestations({ ...slice, filter }, fields),
        (row) => row,
      ),
    ),
    count: once(() => countRows(() => reader.countAttestations(filter))),
  }
}

/** The schemas that pass a filter, likewise. */
export function connectSchemas(
  filter: SchemaFilter | null,
  values: ArgumentValues,
  { reader, countRows }: RequestContext,
): Connection<SchemaNode> {
  const request = readConnection(values)
  if (filter === null) return emptyConnection
  return {
    page: once(async () =>
      readPage(request, (slice) => reader.sliceSchemas({ ...slice, filter }), schemaNode),
    ),
    count: once(() => countRows(() => reader.countSchemas(filter))),
  }
}

/** The agents that pass a filter, likewise. */
export function connectAgents(
  filter: AgentFilter | null,
  values: ArgumentValues,
  { newest: reader, countRows, followContent }: RequestContext,
): Connection<AgentNode> {
  const request = readConnection(values)
  followContent()
  if (filter === null) return emptyConnection
  return {
    page: once(async () => {
      const directory = await readDirectory(reader)
      return await readPage(
        request,
        (slice) => reader.sliceAgents({ ...slice, filter }),
        (agent) => agentNode({ agent, id: idOfAgent(directory, agent.key) }),
      )
    }),
    count: once(async () => (await countRows(() => reader.listAgents(filter, { page: 1, size: 1 }))).total),
  }
}

const connection: TypeBehaviour<Connection<unknown>> = {
  totalCount: (source) => source.count(),
  edges: async (source) => (await source.page()).edges,
  nodes: async (source) => (await source.page()).edges.map(({ node }) => node),
  pageInfo: async (source) => (await source.page()).pageInfo,
}

const edge: TypeBehaviour<ConnectionEdge<unknown>> = {
  cursor: ({ place }) => formatRowCursor(place),
}

export const connectionBehaviours = {
  AttestationConnection: connection,
  SchemaConnection: connection,
  AgentConnection: connection,
  AttestationEdge: edge,
  SchemaEdge: edge,
  AgentEdge: edge,
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
  toNode: (row: Row & { readonly place: RowPlace }) => Node,
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
  const edges = (isForward ? rows : rows.reverse()).map((row) => ({ place: row.place, node: toNode(row) }))
  const [hasNextPage, hasPreviousPage] = isForward ? [hasMore, after !== null] : [before !== null, hasMore]
  // Where the walk ended early, it goes on behind the last row that it passed over.
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
