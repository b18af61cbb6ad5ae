import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { AttestationFilter, RowPlace, Slice, SliceRequest } from '../indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { positionMask } from '../layout/rowId.ts'
import { resolveParts, type ResolvedFilter } from './attestationFilter.ts'
import { chooseWalk, type AttestationWalkPlan } from './chooseWalk.ts'
import { rowCostOf } from './holdingCondition.ts'
import { listKnownChains } from './knownChains.ts'
import { checkedRowsMax, createPayloadCheck } from './payloadCheck.ts'
import { readSlice } from './readSlice.ts'
import {
  beginRange,
  directSql,
  findBoundary,
  keysSql,
  type OrderValueOf,
  type PlacedAttestation,
  type WalkOrder,
  type WalkRange,
} from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestations,
  wholeRecord,
  type AttestationRow,
} from './storedAttestation.ts'

/**
 * A slice of the attestations that pass a filter; at most `rowsMax` rows are passed over, fewer where payloads are
 * decoded.
 */
export async function sliceAttestations(
  session: ReadSession,
  request: SliceRequest<AttestationFilter>,
  fields: AttestationFields,
  rowsMax: number,
  decodePayload: DecodePayload,
): Promise<Slice<StoredAttestation>> {
  const chains = await listKnownChains(session)
  const parts = chains.length === 0 ? [] : await resolveParts(session.connection, request.filter)
  const bounds = { chains, rowsMax: Math.ceil(rowsMax / Math.max(1, parts.length)), decodePayload }
  const slices: Slice<StoredAttestation>[] = []
  for (const { resolved } of parts) {
    slices.push(await slicePart(session, request, resolved, fields, bounds))
  }
  return mergeSlices(slices, request)
}

interface SliceBounds {
  readonly chains: readonly KnownChain[]
  readonly rowsMax: number
  readonly decodePayload: DecodePayload
}

async function slicePart(
  session: ReadSession,
  { order, after, limit }: SliceRequest<AttestationFilter>,
  filter: ResolvedFilter,
  fields: AttestationFields,
  { chains, rowsMax, decodePayload }: SliceBounds,
): Promise<Slice<StoredAttestation>> {
  const { connection } = session
  const plan = await chooseWalk(session, chains, filter)
  const orderValueOf = attestationOrder(chains)
  const check = createPayloadCheck(plan.decoded, decodePayload)
  const source = {
    check: check === null ? null : { ...check, rowsMax: checkedRowsMax },
    hasCondition: plan.condition.sql !== '' || plan.arms.some(({ rowCondition }) => rowCondition !== null),
    readRows: (range: WalkRange, limit: number) =>
      readRows(session, plan, range, limit, check === null ? fields : wholeRecord, orderValueOf),
    findBoundary: (range: WalkRange, count: number) =>
      findBoundary(connection, plan.arms, range, count, orderValueOf),
  }
  const range = beginRange({ order, after, from: filter.from, before: filter.before })
  return await readSlice<StoredAttestation>(source, range, limit, Math.ceil(rowsMax / rowCostOf(filter)))
}

/** One slice of the rows of several, which begin at the same place and share no row. */
function mergeSlices(
  slices: readonly Slice<StoredAttestation>[],
  { order, limit }: Pick<SliceRequest<never>, 'order' | 'limit'>,
): Slice<StoredAttestation> {
  const [only, ...others] = slices
  if (only !== undefined && others.length === 0) return only
  const compare = (a: RowPlace, b: RowPlace) => comparePlaces(a, b, order)
  // Behind the place that one slice has reached, its rows are missing.
  const [reached] = slices
    .filter(({ hasMore }) => hasMore)
    .flatMap(({ rows, scannedTo }) => scannedTo ?? rows.at(-1)?.place ?? [])
    .sort(compare)
  const rows = slices
    .flatMap((slice) => slice.rows)
    .filter(({ place }) => reached === undefined || compare(place, reached) <= 0)
    .sort((a, b) => compare(a.place, b.place))
  if (rows.length > limit) return { rows: rows.slice(0, limit), hasMore: true, scannedTo: null }
  return { rows, hasMore: reached !== undefined, scannedTo: reached ?? null }
}

/** Rows of attestations are ordered by their ids. Nothing ties with a place on a chain that is not indexed. */
export function attestationOrder(chains: readonly KnownChain[]): OrderValueOf {
  const ordinals = new Map(chains.map(({ chainId, ordinal }) => [chainId, ordinal]))
  return ({ chainId, position }) => {
    const ordinal = ordinals.get(chainId)
    return ordinal === undefined ? -1 : (BigInt(ordinal) << 53n) | BigInt(position)
  }
}

/** Attestations of a walk with their places, in its order. */
export async function readRows(
  session: ReadSession,
  { arms, condition }: AttestationWalkPlan,
  range: WalkRange,
  limit: number,
  fields: AttestationFields,
  orderValueOf: OrderValueOf,
): Promise<PlacedAttestation[]> {
  const { connection } = session
  const { dialect } = connection
  const columns = `a.attest_timestamp, a.id & ${positionMask}, ${attestationColumns(dialect, fields)}`
  const [only] = arms
  const isDirect = dialect.readsRowsInWalk && arms.length === 1 && only !== undefined
  const keys = isDirect
    ? directSql(dialect, only, range, condition, columns, limit, orderValueOf)
    : keysSql(dialect, arms, range, condition, { limit, skip: 0 }, orderValueOf)
  const sql = isDirect
    ? keys.sql
    : `SELECT ${columns} FROM (${keys.sql}) AS m ${dialect.drivenJoin} attestation a ON a.id = m.o` +
      schemaJoin(dialect, fields)
  const rows = await connection.all<[timestamp: number, position: number, ...AttestationRow]>(
    sql,
    ...keys.parameters,
  )
  const attestations = await storedAttestations(
    session,
    rows.map(([, , ...row]) => row),
    fields,
  )
  const placed = attestations.map((attestation, index) => {
    const [timestamp = 0, position = 0] = rows[index] ?? []
    return { ...attestation, place: { timestamp, chainId: attestation.key.chainId, position } }
  })
  // SQL does not promise that a join keeps the order of what it is made from.
  return isDirect ? placed : placed.sort((a, b) => comparePlaces(a.place, b.place, range.order))
}

/** Compares places in the order of a walk. */
export function comparePlaces(a: RowPlace, b: RowPlace, order: WalkOrder): number {
  const ascending = a.timestamp - b.timestamp || a.chainId - b.chainId || a.position - b.position
  return order === 'newestFirst' ? -ascending : ascending
}
