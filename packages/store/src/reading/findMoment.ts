import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Hash } from '@attestry/core/model/hex.ts'
import { positionBlock, positionsPerBlock, type Position } from '@attestry/core/model/position.ts'
import type { BlockAtTime, BlockLocation } from '@attestry/core/index/indexQueries.ts'
import { positionMask, rowIdsAbove } from '../layout/rowId.ts'
import type { Reads } from '../port/reads.ts'
import type { StatementSession } from './session.ts'

type LocationRow = [
  indexedBlock: number | null,
  indexedTimestamp: number | null,
  hash: string | null,
  timestamp: number | null,
  older: number | null,
  olderBlock: number | null,
  newer: number | null,
  newerBlock: number | null,
]

/** Locates a block on its chain; null if the chain is not indexed. Takes one statement, since many answers need it. */
export async function locateBlock(
  { connection: reads }: StatementSession,
  chainId: ChainId,
  number: number,
): Promise<BlockLocation | null> {
  const row = await reads.get<LocationRow>(locationSql, number, number, number, number, number, chainId)
  if (row === undefined) return null
  const [indexedBlock, indexedTimestamp, hash, timestamp, older, olderBlock, newer, newerBlock] = row
  const [from, to] = [
    [older, olderBlock].filter((time) => time !== null),
    [newer, newerBlock, indexedTimestamp].filter((time) => time !== null),
  ]
  return {
    indexedBlock,
    block:
      hash === null || timestamp === null || indexedBlock === null || number > indexedBlock
        ? null
        : { number, hash: hash as Hash, timestamp },
    from: from.length === 0 ? null : Math.max(...from),
    to: to.length === 0 ? null : Math.min(...to),
  }
}

/** The first row id of a chain, and the first after a block. */
const firstId = `CAST(c.ordinal AS bigint) * ${2 ** 53}`
const idBehind = `${firstId} + (CAST(? AS bigint) + 1) * ${positionsPerBlock}`

const locationSql =
  'SELECT c.checkpoint_block, c.checkpoint_timestamp, b.hash, b.timestamp, ' +
  `(SELECT a.attest_timestamp FROM attestation a WHERE a.id >= ${firstId} AND a.id < ${idBehind} ORDER BY a.id DESC LIMIT 1), ` +
  '(SELECT r.timestamp FROM recent_block r WHERE r.chain_id = c.chain_id AND r.number <= CAST(? AS bigint) ' +
  'ORDER BY r.number DESC LIMIT 1), ' +
  `(SELECT a.attest_timestamp FROM attestation a WHERE a.id >= ${idBehind} ` +
  `AND a.id < ${firstId} + ${2 ** 53} ORDER BY a.id LIMIT 1), ` +
  '(SELECT r.timestamp FROM recent_block r WHERE r.chain_id = c.chain_id AND r.number >= CAST(? AS bigint) ' +
  'ORDER BY r.number LIMIT 1) ' +
  'FROM chain c LEFT JOIN recent_block b ON b.chain_id = c.chain_id AND b.number = CAST(? AS bigint) WHERE c.chain_id = ?'

/** The last block of a chain by a time, as far as its records and the remembered blocks show. */
export async function findBlockAt(
  { connection: reads }: StatementSession,
  chainId: ChainId,
  timestamp: number,
): Promise<BlockAtTime> {
  const ordinal = await findOrdinal(reads, chainId)
  if (ordinal === null) return { block: null, next: null, isExact: true }
  const [older, newer] = await Promise.all([
    findEvents(reads, chainId, timestamp, 'older'),
    findEvents(reads, chainId, timestamp, 'newer'),
  ])
  const between = {
    first: rowIdsAbove(ordinal, older?.number ?? -1).first,
    last: newer === null ? rowIdsAbove(ordinal, -1).last : rowIdsAbove(ordinal, newer.number - 1).first - 1n,
  }
  const revoked = (comparison: string, order: string) =>
    reads.get<[position: number, timestamp: number]>(
      `SELECT a.revoked_id & ${positionMask}, ${reads.dialect.uint64('a.revoke_timestamp')} ` +
        `FROM ${reads.dialect.walked('attestation', 'a', 'attestation_by_revocation')} ` +
        `WHERE a.revoked_id BETWEEN ? AND ? AND ${reads.dialect.uint64('a.revoke_timestamp')} ${comparison} ? ` +
        `ORDER BY a.revoked_id ${order} LIMIT 1`,
      between.first,
      between.last,
      timestamp,
    )
  const [revokedOlder, revokedNewer] = await Promise.all([revoked('<=', 'DESC'), revoked('>', 'ASC')])
  const block = ofRow(revokedOlder) ?? older
  const next = ofRow(revokedNewer) ?? newer
  const [untimed] =
    (await reads.get<[number]>(
      'SELECT count(*) FROM (SELECT 1 FROM metadata WHERE id BETWEEN ? AND ? LIMIT 1) AS m',
      rowIdsAbove(ordinal, block?.number ?? -1).first,
      next === null ? rowIdsAbove(ordinal, -1).last : rowIdsAbove(ordinal, next.number - 1).first - 1n,
    )) ?? []
  return { block, next, isExact: untimed === 0 }
}

interface TimedBlock {
  readonly number: number
  readonly timestamp: number
}

/** The newest block up to a time that has a record or is remembered, or the oldest such block after it. */
async function findEvents(
  reads: Reads,
  chainId: ChainId,
  timestamp: number,
  side: 'older' | 'newer',
): Promise<TimedBlock | null> {
  const { dialect } = reads
  const [comparison, order] = side === 'older' ? ['<=', 'DESC'] : ['>', 'ASC']
  const [attestation, schema, remembered] = await Promise.all([
    reads.get<[number, number]>(
      `SELECT a.id & ${positionMask}, a.attest_timestamp ` +
        `FROM ${dialect.walked('attestation', 'a', 'attestation_by_chain')} WHERE a.chain_id = ? ` +
        `AND a.attest_timestamp ${comparison} ? ORDER BY a.attest_timestamp ${order}, a.id ${order} LIMIT 1`,
      chainId,
      timestamp,
    ),
    reads.get<[number, number]>(
      `SELECT s.position, s.register_timestamp FROM ${dialect.walked('schema', 's', 'schema_by_chain')} ` +
        `WHERE s.chain_id = ? AND ${dialect.flag('s.registered', true)} AND s.register_timestamp ${comparison} ? ` +
        `ORDER BY s.register_timestamp ${order}, s.position ${order} LIMIT 1`,
      chainId,
      timestamp,
    ),
    reads.get<[number, number]>(
      `SELECT number, timestamp FROM recent_block WHERE chain_id = ? AND timestamp ${comparison} ? ` +
        `ORDER BY number ${order} LIMIT 1`,
      chainId,
      timestamp,
    ),
  ])
  const blocks = [ofRow(attestation), ofRow(schema)].filter((block) => block !== null)
  if (remembered !== undefined) blocks.push({ number: remembered[0], timestamp: remembered[1] })
  blocks.sort((a, b) => (side === 'older' ? b.number - a.number : a.number - b.number))
  return blocks[0] ?? null
}

function ofRow(row: readonly [position: number, timestamp: number] | undefined): TimedBlock | null {
  return row === undefined ? null : { number: positionBlock(row[0] as Position), timestamp: row[1] }
}

async function findOrdinal(reads: Reads, chainId: ChainId): Promise<number | null> {
  const row = await reads.get<[number]>('SELECT ordinal FROM chain WHERE chain_id = ?', chainId)
  return row?.[0] ?? null
}
