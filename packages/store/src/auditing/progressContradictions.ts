import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { Difference } from '@attestry/core/index/indexAudit.ts'
import type { ChainProgress } from '@attestry/core/index/indexRestore.ts'

/**
 * Checks that a chain's checkpoint, its remembered blocks and its events fit together. No event is above the
 * checkpoint. Remembered blocks, if there are any, follow one another without a gap and end at the checkpoint. Without
 * any event the newest block is -1.
 */
export function* progressContradictions(
  chainId: ChainId,
  progress: ChainProgress,
  newestEventBlock: number,
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
    chainId,
    blockNumber: rewindTo,
    subject: `chain ${chainId}`,
    field,
    stored,
    expected,
    remedy: 'rewind',
  })

  if (newestEventBlock > checkpointBlock) {
    yield progressDifference(
      'events',
      `an event in block ${newestEventBlock}`,
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
