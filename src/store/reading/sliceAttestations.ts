import type { DecodePayload } from '../../model/decodedPayload.ts'
import type { AttestationFilter, RowPlace, Slice, SliceRequest } from '../indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { positionMask } from '../layout/rowId.ts'
import { resolveFilter } from './attestationFilter.ts'
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

/** A slice of the attestations that pass a filter; at most `rowsMax` rows are passed over, fewer where payloads are decoded. */
export async function sliceAttestations(
  session: ReadSession,
  request: SliceRequest<AttestationFilter>,
  fields: AttestationFields,
  rowsMax: number,
  decodePayload: DecodePayload,
): Promise<Slice<StoredAttestation>> {
  const { connection } = session
  const chains = await listKnownChains(session)
  const filter = await resolveFilter(connection, request.filter)
  if (filter === null || chains.length === 0) return { rows: [], hasMore: false, scannedTo: null }
  const plan = await chooseWalk(session, chains, filter)
  const { order, after } = request
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
  return await readSlice<StoredAttestation>(
    source,
    range,
    request.limit,
    Math.ceil(rowsMax / rowCostOf(filter)),
  )
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
