import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { AttestationFilter, Slice, SliceRequest } from '@attestry/core/index/indexQueries.ts'
import { daySeconds } from '@attestry/core/model/time.ts'
import type { AttestationFields, RowPlace, StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import type { KnownChain } from '../layout/knownChain.ts'
import { positionMask } from '../layout/rowId.ts'
import { resolveParts, type ResolvedFilter } from './attestationFilter.ts'
import { chooseWalk } from './chooseWalk.ts'
import { rowCostOf } from './holdingCondition.ts'
import { listKnownChains } from './knownChains.ts'
import { checkedFields, createPayloadCheck } from './payloadCheck.ts'
import { mergeSlices, readSlice } from './readSlice.ts'
import { readWalk, type Walk, type WalkOrder, type WalkRange } from './rowWalk.ts'
import type { ReadSession } from './session.ts'
import { noTerm, term } from './sqlTerms.ts'
import { attestationRows, storedAttestations, untilUnread, type AttestationRow } from './storedAttestation.ts'

/**
 * A slice of the attestations that pass a filter; at most `rowsMax` rows are passed over, fewer if payloads are
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
  const parts = chains.length === 0 ? [] : await resolveParts(session, request.filter)
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
  const walk = await chooseWalk(session, chains, filter)
  const check = createPayloadCheck(walk.decoded, decodePayload)
  const source = {
    walk,
    check,
    readRows: (range: WalkRange, count: number) =>
      readRows(session, walk, range, count, check === null ? cutFields(fields) : checkedFields),
  }
  const range = { order, after, ...(await spanOf(session, filter, order, after)) }
  const passedMax = Math.ceil(rowsMax / rowCostOf(filter))
  const slice = await readSlice<StoredAttestation>(session.connection, source, range, limit, passedMax)
  if (check !== null || fields.payloadBytesMax !== undefined) return slice
  const rows = untilUnread(slice.rows)
  return rows.length === slice.rows.length ? slice : { rows, hasMore: true, scannedTo: null }
}

/**
 * The span of time of a filter. For a protocol it begins, in the order of the walk, at the first day with attestations
 * of it. No index has those of one protocol: a walk from the end passes over all that others have made since.
 */
async function spanOf(
  { connection }: ReadSession,
  { protocol, schema, chainId, from, before }: ResolvedFilter,
  order: WalkOrder,
  after: RowPlace | null,
): Promise<Pick<WalkRange, 'from' | 'before'>> {
  if (protocol === null || schema !== null || after !== null) return { from, before }
  const isNewest = order === 'newestFirst'
  const days = isNewest ? 'max(day)' : 'min(day)'
  const ofChain = chainId === null ? noTerm : term(' AND c.chain_id = ?', chainId)
  // Each chain has its days in order.
  const row = await connection.get<[number | null]>(
    `SELECT ${days} FROM (SELECT (SELECT d.day FROM protocol_day d WHERE d.chain_id = c.chain_id AND ` +
      `d.protocol = c.protocol AND d.attestation_count > 0 ORDER BY d.day ${isNewest ? 'DESC' : 'ASC'} LIMIT 1) AS day ` +
      `FROM protocol_count c WHERE c.protocol = ?${ofChain.sql}) AS ends`,
    protocol,
    ...ofChain.parameters,
  )
  const day = row?.[0] ?? null
  if (day === null) return { from, before }
  return isNewest
    ? { from, before: Math.min(before ?? Infinity, (day + 1) * daySeconds) }
    : { from: Math.max(from ?? 0, day * daySeconds), before }
}

/** The fields of a slice that ends before its payloads have too many bytes, if nobody said how many. */
function cutFields(fields: AttestationFields): AttestationFields {
  return fields.detail ? { payloadBytesMax: sliceBytesMax, ...fields } : fields
}

/** Bytes of long payloads in a slice. */
const sliceBytesMax = 1024 * 1024

export type PlacedAttestation = StoredAttestation & { readonly place: RowPlace }

/** Attestations of a walk with their places, in its order. */
export async function readRows(
  session: ReadSession,
  walk: Walk,
  range: WalkRange,
  limit: number,
  fields: AttestationFields,
): Promise<PlacedAttestation[]> {
  const select = attestationRows(session.connection.dialect, fields)
  const rows = await readWalk<[timestamp: number, position: number, ...AttestationRow]>(
    session.connection,
    walk,
    range,
    { limit, skip: 0 },
    { ...select, columns: `a.attest_timestamp, a.id & ${positionMask}, ${select.columns}` },
  )
  const attestations = await storedAttestations(
    session,
    rows.map(([, , ...row]) => row),
    fields,
  )
  return attestations.map((attestation, index) => {
    const [timestamp = 0, position = 0] = rows[index] ?? []
    return { ...attestation, place: { timestamp, chainId: attestation.key.chainId, position } }
  })
}
