import type { AttestationFilter, RowPlace, Slice, SliceRequest } from '../indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import { positionMask } from '../layout/rowId.ts'
import { resolveFilter } from './attestationFilter.ts'
import { chooseWalk, type AttestationWalkPlan } from './chooseWalk.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { listKnownChains } from './knownChains.ts'
import { readSlice } from './readSlice.ts'
import type { ReadSession } from './readSession.ts'
import {
  beginRange,
  findBoundary,
  mergedArmsSql,
  singleArmSql,
  type OrderValueOf,
  type WalkOrder,
  type WalkRange,
} from './rowWalk.ts'
import { attestationColumns, storedAttestationOfRow, type AttestationRow } from './storedAttestation.ts'

type PlacedAttestation = StoredAttestation & { readonly place: RowPlace }

/** A slice of the attestations that pass a filter; at most `rowsMax` rows are passed over. */
export function sliceAttestations(
  session: ReadSession,
  request: SliceRequest<AttestationFilter>,
  fields: AttestationFields,
  rowsMax: number,
): Slice<StoredAttestation> {
  const filter = resolveFilter(session, request.filter)
  const chains = listKnownChains(session)
  if (filter === null || chains.length === 0) return { rows: [], hasMore: false, scannedTo: null }
  const plan = chooseWalk(session, chains, filter)
  const { order, after } = request
  const orderValueOf = attestationOrder(chains)
  const source = {
    hasCondition: plan.condition.sql !== '' || plan.arms.some(({ rowCondition }) => rowCondition !== null),
    readRows: (range: WalkRange, limit: number) =>
      readRows(session, plan, range, limit, fields, orderValueOf),
    findBoundary: (range: WalkRange, count: number) =>
      findBoundary(session.connection, plan.arms, range, count, orderValueOf),
  }
  const range = beginRange({ order, after, from: filter.from, before: filter.before })
  return readSlice<StoredAttestation>(source, range, request.limit, rowsMax)
}

/** Rows of attestations are ordered by their ids. Nothing ties with a place on a chain that is not indexed. */
export function attestationOrder(chains: readonly KnownChain[]): OrderValueOf {
  const ordinals = new Map(chains.map(({ chainId, ordinal }) => [chainId, ordinal]))
  return ({ chainId, position }) => {
    const ordinal = ordinals.get(chainId)
    return ordinal === undefined ? -1 : (BigInt(ordinal) << 53n) | BigInt(position)
  }
}

const placeColumns = `a.attest_timestamp, a.id & ${positionMask}`

function readRows(
  session: ReadSession,
  { arms, condition }: AttestationWalkPlan,
  range: WalkRange,
  limit: number,
  fields: AttestationFields,
  orderValueOf: OrderValueOf,
): PlacedAttestation[] {
  const columns = `${placeColumns}, ${attestationColumns(fields)}`
  const [first] = arms
  if (first === undefined) return []
  const isSingle = arms.length === 1
  const { sql, parameters } = isSingle
    ? singleArmSql(first, range, condition, columns, orderValueOf)
    : mergedArmsSql(arms, range, condition, orderValueOf)
  const rows = session.connection
    .statement<[timestamp: number, position: number, ...AttestationRow]>(
      isSingle ? sql : `SELECT ${columns} FROM (${sql}) m CROSS JOIN attestation a ON a.id = m.o`,
    )
    .all(...parameters, limit)
    .map(([timestamp, position, ...row]) => {
      const attestation = storedAttestationOfRow(session, row, fields)
      return { ...attestation, place: { timestamp, chainId: attestation.key.chainId, position } }
    })
  // SQL does not promise that a join keeps the order of what it is made from.
  return isSingle ? rows : rows.sort((a, b) => comparePlaces(a.place, b.place, range.order))
}

function comparePlaces(a: RowPlace, b: RowPlace, order: WalkOrder): number {
  const ascending = a.timestamp - b.timestamp || a.chainId - b.chainId || a.position - b.position
  return order === 'newestFirst' ? -ascending : ascending
}
