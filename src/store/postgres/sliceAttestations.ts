import type { AttestationFilter, RowPlace, Slice, SliceRequest } from '../indexQueries.ts'
import type { AttestationFields, StoredAttestation } from '../indexReader.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { positionMask } from '../layout/rowId.ts'
import { resolveFilter } from './attestationFilter.ts'
import { chooseWalk, type AttestationWalkPlan } from './chooseWalk.ts'
import { listKnownChains } from './knownChains.ts'
import type { ReadSession } from './readSession.ts'
import { readSlice } from './readSlice.ts'
import { beginRange, findBoundary, keysSql, type OrderValueOf, type WalkRange } from './rowWalk.ts'
import {
  attestationColumns,
  schemaJoin,
  storedAttestationOfRow,
  type AttestationRow,
} from './storedAttestation.ts'

type PlacedAttestation = StoredAttestation & { readonly place: RowPlace }

/** A slice of the attestations that pass a filter; at most `rowsMax` rows are passed over. */
export async function sliceAttestations(
  session: ReadSession,
  request: SliceRequest<AttestationFilter>,
  fields: AttestationFields,
  rowsMax: number,
): Promise<Slice<StoredAttestation>> {
  const { connection } = session
  const [filter, chains] = await Promise.all([
    resolveFilter(connection, request.filter),
    listKnownChains(session),
  ])
  if (filter === null || chains.length === 0) return { rows: [], hasMore: false, scannedTo: null }
  const plan = await chooseWalk(session, chains, filter)
  const { order, after } = request
  const orderValueOf = attestationOrder(chains)
  const source = {
    hasCondition: plan.condition.sql !== '' || plan.arms.some(({ rowCondition }) => rowCondition !== null),
    readRows: (range: WalkRange, limit: number) =>
      readRows(session, plan, range, limit, fields, orderValueOf),
    findBoundary: (range: WalkRange, count: number) =>
      findBoundary(connection, plan.arms, range, count, orderValueOf),
  }
  const range = beginRange({ order, after, from: filter.from, before: filter.before })
  return await readSlice<StoredAttestation>(source, range, request.limit, rowsMax)
}

/** Rows of attestations are ordered by their ids. Nothing ties with a place on a chain that is not indexed. */
export function attestationOrder(chains: readonly KnownChain[]): OrderValueOf {
  const ordinals = new Map(chains.map(({ chainId, ordinal }) => [chainId, ordinal]))
  return ({ chainId, position }) => {
    const ordinal = ordinals.get(chainId)
    return ordinal === undefined ? -1 : (BigInt(ordinal) << 53n) | BigInt(position)
  }
}

async function readRows(
  { connection }: ReadSession,
  { arms, condition }: AttestationWalkPlan,
  range: WalkRange,
  limit: number,
  fields: AttestationFields,
  orderValueOf: OrderValueOf,
): Promise<PlacedAttestation[]> {
  const { sql, parameters } = keysSql(arms, range, condition, limit, orderValueOf)
  const direction = range.order === 'newestFirst' ? ' DESC' : ''
  const rows = await connection.all<[timestamp: number, position: number, ...AttestationRow]>(
    `SELECT m.t, m.o & ${positionMask}, ${attestationColumns(fields)} FROM (${sql}) AS m ` +
      `JOIN attestation a ON a.id = m.o${schemaJoin(fields)} ` +
      `ORDER BY m.t${direction}, m.c${direction}, m.o${direction}`,
    ...parameters,
  )
  return rows.map(([timestamp, position, ...row]) => {
    const attestation = storedAttestationOfRow(row)
    return { ...attestation, place: { timestamp, chainId: attestation.key.chainId, position } }
  })
}
