import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'
import {
  eventPosition,
  positionsPerBlock,
  positionBlock,
  type Position,
} from '@attestry/core/model/position.ts'
import { claimState } from '../layout/bornRevocation.ts'
import { positionMask } from '../layout/rowId.ts'
import type { Change } from '@attestry/core/index/indexQueries.ts'
import type { ChainEnd, RecordSlice, SpanPlace, StoredHook } from '@attestry/core/index/hookStore.ts'
import type { Projection } from '../port/projection.ts'
import type { Reads } from '../port/reads.ts'
import { rewindOf } from './listChains.ts'
import { changeFields, readRange, selectWhole, type Range } from './readJournal.ts'
import type { ReadSession } from './session.ts'
import { storedAttestations, untilUnread, type AttestationRow } from './storedAttestation.ts'

/** @see HookReads.listHooks */
export async function listHooks(reads: Reads): Promise<StoredHook[]> {
  const rows = await reads.all<[string, boolean | number, string | null, string | null]>(
    'SELECT name, paused, replay_json, state_json FROM hook ORDER BY name',
  )
  return rows.map(([name, paused, orderJson, stateJson]) => {
    return { name, paused: Boolean(paused), orderJson, stateJson }
  })
}

/**
 * @see HookReads.listChainEnds The oldest remembered block is final: the remembered blocks are those that may change,
 * and the one before them. The one before is missing while the first block to index may change. If no block is
 * remembered, everything indexed was final when it was indexed.
 */
export async function listChainEnds(reads: Reads, projections: readonly Projection[]): Promise<ChainEnd[]> {
  const rows = await reads.all<
    [
      chainId: number,
      checkpoint: number | null,
      rewindTo: number | null,
      contractsJson: string,
      oldest: number | null,
    ]
  >(
    `SELECT c.chain_id, c.checkpoint_block, ${rewindOf(projections)}, c.contracts_json, ` +
      '(SELECT min(b.number) FROM recent_block b WHERE b.chain_id = c.chain_id) FROM chain c ORDER BY c.chain_id',
  )
  return rows.map(([chainId, checkpoint, rewindTo, contractsJson, oldest]) => {
    const contracts = JSON.parse(contractsJson) as IndexedContract[]
    const startBlock = Math.min(...contracts.map((contract) => contract.startBlock))
    const final = oldest === startBlock ? startBlock - 1 : (oldest ?? checkpoint)
    // Blocks that are about to be indexed again, for other contracts, are not final.
    const kept =
      checkpoint === null || final === null ? null : Math.min(checkpoint, final, rewindTo ?? checkpoint)
    return { chainId, indexed: endOfBlock(checkpoint), final: endOfBlock(kept), contracts }
  })
}

function endOfBlock(blockNumber: number | null): number {
  return blockNumber === null || blockNumber < 0 ? -1 : eventPosition(blockNumber, positionsPerBlock - 1)
}

/** @see HookReads.listRecordsBetween */
export async function listRecordsBetween(
  session: ReadSession,
  chainId: ChainId,
  { after, upTo, settledAfter = -1 }: SpanPlace & { readonly upTo: number },
  limit: number,
): Promise<RecordSlice> {
  const { connection } = session
  const chain = await connection.get<[ordinal: number, checkpoint: number | null]>(
    'SELECT ordinal, checkpoint_block FROM chain WHERE chain_id = ?',
    chainId,
  )
  if (chain === undefined || after >= upTo) return { changes: [], next: { after: upTo }, hasMore: false }
  const [ordinal, checkpoint] = chain
  const range = { sequence: 0, chainId, ordinal, first: after + 1, last: upTo }
  const { changes: records, isCut } = await readRange(session, range, limit)
  const isFull = isCut || records.length >= limit
  const upToRecord = isFull ? (records.at(-1)?.place.offset ?? upTo) : upTo
  const settled = await readSettled(
    session,
    range,
    { end: upToRecord, checkpoint, settledBehind: (BigInt(ordinal) << 53n) + BigInt(settledAfter) },
    limit,
  )
  const end = settled.cutAt === null ? upToRecord : (settled.changes.at(-1)?.place.offset ?? upToRecord)
  const later = await findRevokedLater(session, range, { end, checkpoint })
  const changes = [...records.filter(({ place }) => place.offset <= end), ...settled.changes]
    .sort((a, b) => a.place.offset - b.place.offset)
    .map((change): Change => {
      if (change.kind !== 'attestation' || !later.has(change.place.offset)) return change
      return { ...change, attestation: { ...change.attestation, revocation: null, lastSyncAt: null } }
    })
  return settled.cutAt === null
    ? { changes, next: { after: end }, hasMore: isFull }
    : { changes, next: { after: end - 1, settledAfter: settled.cutAt }, hasMore: true }
}

/**
 * The last block whose settled revocations count up to a position. A revert leaves a revocation settled if the new
 * checkpoint settles it too, but under the block that settled it first. Such a revocation counts in the checkpoint.
 */
function lastSettling(position: number, checkpoint: number | null): number {
  const lastBlock = Math.floor((position + 1) / positionsPerBlock) - 1
  return checkpoint !== null && lastBlock >= checkpoint ? Number.MAX_SAFE_INTEGER : lastBlock
}

/** The positions, up to `end`, of the attestations of a range that were revoked after the range. */
async function findRevokedLater(
  { connection }: ReadSession,
  { chainId, ordinal, first, last }: Range,
  { end, checkpoint }: { readonly end: number; readonly checkpoint: number | null },
): Promise<ReadonlySet<number>> {
  const base = BigInt(ordinal) << 53n
  const [firstId, endId] = [base + BigInt(first), base + BigInt(end)]
  const rows = await connection.all<[position: number]>(
    `SELECT a.id & ${positionMask} FROM attestation a WHERE a.id BETWEEN ? AND ? AND a.revoked_id > ? ` +
      `UNION ALL SELECT c.id & ${positionMask} FROM revocation_claim c WHERE c.chain_id = ? ` +
      `AND c.state = ${claimState.settled} AND c.id BETWEEN ? AND ? AND c.settled_block > ?`,
    firstId,
    endId,
    base + BigInt(last),
    chainId,
    firstId,
    endId,
    lastSettling(last, checkpoint),
  )
  return new Set(rows.map(([position]) => position))
}

/**
 * The revocations that were settled in the blocks that end in a range, up to a position. In the first block only those
 * of attestations after a row id.
 * @returns `cutAt`: the position of the last attestation, if there are more.
 */
async function readSettled(
  session: ReadSession,
  { chainId, first }: Range,
  span: { readonly end: number; readonly checkpoint: number | null; readonly settledBehind: bigint },
  limit: number,
): Promise<{ readonly changes: readonly Change[]; readonly cutAt: number | null }> {
  const { connection } = session
  const { end, checkpoint, settledBehind } = span
  const firstBlock = Math.floor(first / positionsPerBlock)
  const lastBlock = checkpoint ?? Number.MAX_SAFE_INTEGER
  // The block in which a revocation counts.
  const block = (name: string) => `CASE WHEN ${name} > ? THEN ? ELSE ${name} END`
  const rows = await connection.all<[block: number, position: number, ...AttestationRow]>(
    `SELECT ${block('t.settled_block')}, a.id & ${positionMask}, ${selectWhole(connection.dialect)} ` +
      'JOIN (SELECT c.id, c.settled_block FROM revocation_claim c ' +
      `WHERE c.chain_id = ? AND c.state = ${claimState.settled} AND c.settled_block BETWEEN ? AND ? ` +
      `AND (${block('c.settled_block')} > ? OR c.id > ?) ` +
      `ORDER BY ${block('c.settled_block')}, c.id LIMIT ${connection.dialect.bound}) t ON t.id = a.id ` +
      'ORDER BY 1, a.id',
    ...[lastBlock, lastBlock],
    ...[chainId, firstBlock, lastSettling(end, checkpoint)],
    ...[lastBlock, lastBlock, firstBlock, settledBehind],
    ...[lastBlock, lastBlock, limit],
  )
  const attestations = await storedAttestations(
    session,
    rows.map(([, , ...row]) => row),
    changeFields,
  )
  const whole = untilUnread(attestations)
  const changes = whole.map((attestation, index): Change => {
    return {
      kind: 'revocation',
      place: { sequence: 0, offset: endOfBlock(rows[index]?.[0] ?? 0) },
      attestation,
    }
  })
  const isCut = whole.length < rows.length || rows.length === limit
  return { changes, cutAt: isCut ? (rows[whole.length - 1]?.[1] ?? null) : null }
}

/** @see HookReads.findPositionBefore */
export async function findPositionBefore(
  { connection }: ReadSession,
  chainId: ChainId,
  timestamp: number,
): Promise<number> {
  const { dialect } = connection
  const rows = await Promise.all([
    connection.get<[number]>(
      `SELECT a.id & ${positionMask} FROM attestation a WHERE a.chain_id = ? AND a.attest_timestamp < ? ` +
        `ORDER BY a.attest_timestamp DESC, a.id DESC LIMIT ${dialect.bound}`,
      chainId,
      timestamp,
      1,
    ),
    connection.get<[number | null]>(
      `SELECT max(s.position) FROM schema s WHERE ${dialect.flag('s.registered', true)} AND s.chain_id = ? ` +
        'AND s.register_timestamp < ?',
      chainId,
      timestamp,
    ),
    connection.get<[number]>(
      `SELECT a.id & ${positionMask} FROM anchor a WHERE a.chain_id = ? AND a.timestamp < ? ` +
        `ORDER BY a.timestamp DESC, a.id DESC LIMIT ${dialect.bound}`,
      chainId,
      timestamp,
      1,
    ),
  ])
  const last = Math.max(...rows.map((row) => row?.[0] ?? -1))
  // The whole block: other records of it have the same time.
  return last < 0 ? -1 : endOfBlock(positionBlock(last as Position))
}
