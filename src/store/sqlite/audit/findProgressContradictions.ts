import { positionBlock, type Position } from '../../../model/position.ts'
import type { Difference } from '../../indexAudit.ts'
import type { ChainProgress } from '../../indexRestore.ts'
import type { Connection } from '../connection.ts'
import type { EventRange } from '../../transfer/formatExportLine.ts'
import { positionMask } from '../../layout/rowId.ts'

/**
 * Whether a chain's checkpoint, its remembered blocks and its events fit together: no event above the checkpoint; remembered
 * blocks, where there are any, follow one another without a gap and end at the checkpoint.
 */
export function* findProgressContradictions(
  connection: Connection,
  range: EventRange,
  progress: ChainProgress,
): Generator<Difference> {
  const { checkpoint, recentBlocks } = progress
  const checkpointBlock = checkpoint?.blockNumber ?? -1
  const progressDifference = (
    field: string,
    stored: string | null,
    expected: string | null,
    rewindTo: number,
  ): Difference => ({
    what: 'progress',
    chainId: range.chainId,
    blockNumber: rewindTo,
    subject: `chain ${range.chainId}`,
    field,
    stored,
    expected,
    remedy: 'rewind',
  })

  const newest = newestEventBlock(connection, range)
  if (newest > checkpointBlock) {
    yield progressDifference(
      'events',
      `an event in block ${newest}`,
      `none above ${checkpointBlock}`,
      checkpointBlock,
    )
  }
  const tip = recentBlocks.at(-1)
  if (tip === undefined) return
  if (tip.number !== checkpointBlock) {
    const to = Math.min(tip.number, checkpointBlock)
    yield progressDifference('checkpoint', String(checkpointBlock), String(tip.number), to)
  } else if (checkpoint?.timestamp !== tip.timestamp) {
    const to = recentBlocks.at(-2)?.number ?? tip.number - 1
    yield progressDifference('checkpoint timestamp', String(checkpoint?.timestamp), String(tip.timestamp), to)
  }
  for (const [index, block] of recentBlocks.entries()) {
    const parent = recentBlocks[index - 1]
    if (parent === undefined || (block.number === parent.number + 1 && block.parentHash === parent.hash))
      continue
    yield progressDifference(
      'remembered blocks',
      `block ${block.number} does not follow ${parent.number}`,
      null,
      parent.number,
    )
    return
  }
}

function newestEventBlock(connection: Connection, { chainId, ordinal }: EventRange): number {
  const base = BigInt(ordinal) << 53n
  const newestOf = (sql: string, ...parameters: (number | bigint)[]) =>
    connection.statement<[number | null]>(sql).get(...parameters)?.[0] ?? -1
  const last = base + 2n ** 53n - 1n
  const positions = [
    newestOf('SELECT max(position) FROM schema WHERE registered = 1 AND chain_id = ?', chainId),
    newestOf(
      `SELECT max(revoked_id) & ${positionMask} FROM attestation WHERE revoked_id BETWEEN ? AND ?`,
      base,
      last,
    ),
    ...['attestation', 'anchor', 'undecodable'].map((table) =>
      newestOf(`SELECT max(id) & ${positionMask} FROM ${table} WHERE id BETWEEN ? AND ?`, base, last),
    ),
  ]
  const newest = Math.max(...positions)
  return newest < 0 ? -1 : positionBlock(newest as Position)
}
