import type { ChainClient } from '../chain/chainClient.ts'
import type { BlockRange } from './fetchRange.ts'

/** Most blocks with the same time: a chain may have several a second. */
const sameSecondMax = 64

/**
 * The blocks with exactly this time, in a range, by bisection: the times of blocks never fall. Null if no block has it.
 */
export async function findBlocksAt(
  client: Pick<ChainClient, 'fetchHeaders'>,
  timestamp: number,
  within: BlockRange,
  signal: AbortSignal,
): Promise<BlockRange | null> {
  let { fromBlock: low, toBlock: high } = within
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if ((await timeOf(client, middle, signal)) < timestamp) low = middle + 1
    else high = middle
  }
  if (low > within.toBlock || (await timeOf(client, low, signal)) !== timestamp) return null
  const last = Math.min(within.toBlock, low + sameSecondMax - 1)
  // Most blocks have a second of their own: few headers are asked for first.
  let toBlock = low
  for (let count = 1; toBlock < last; count *= 4) {
    const headers = await client.fetchHeaders(toBlock + 1, Math.min(last, toBlock + count), signal)
    const others = headers.findIndex((header) => header.timestamp !== timestamp)
    toBlock += others < 0 ? headers.length : others
    if (others >= 0 || headers.length === 0) break
  }
  return { fromBlock: low, toBlock }
}

async function timeOf(
  client: Pick<ChainClient, 'fetchHeaders'>,
  block: number,
  signal: AbortSignal,
): Promise<number> {
  const [header] = await client.fetchHeaders(block, block, signal)
  return header?.timestamp ?? 0
}
