import type { ChainId } from '@attestry/core/model/compositeId.ts'
import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { eventPosition, positionsPerBlock } from '@attestry/core/model/position.ts'
import type { RunningDigest } from '@attestry/core/index/indexRestore.ts'
import { extendDigest, noDigest } from '../layout/chainDigest.ts'
import type { Reads } from '../port/reads.ts'
import { eventLines } from '../transfer/eventLines.ts'
import { readStoredEvent } from '../transfer/readStoredEvent.ts'

interface StoredChain {
  readonly chainId: ChainId
  readonly ordinal: number
}

/**
 * The digest of a chain at a block up to that of its present digest. It is made from the newest digest that is kept at
 * or below the block, and the few events after it.
 */
export async function readDigest(reads: Reads, chain: StoredChain, block: number): Promise<RunningDigest> {
  const mark = await reads.get<[number, number, Uint8Array]>(
    'SELECT block, events, digest FROM chain_digest WHERE chain_id = ? AND block <= ? ORDER BY block DESC LIMIT 1',
    chain.chainId,
    block,
  )
  const below = mark === undefined ? noDigest : { block: mark[0], events: mark[1], sum: mark[2] }
  const events: DomainEvent[] = []
  for await (const some of readEvents(reads, chain, (below.block ?? -1) + 1, block)) events.push(...some)
  return extendDigest(below, events, block).digest
}

/**
 * The events of some blocks from their rows, some at a time, in the order of the chain. Rows that cannot be read are
 * left out; `attestry verify` finds them.
 */
export async function* readEvents(
  reads: Reads,
  { chainId, ordinal }: StoredChain,
  fromBlock: number,
  toBlock: number,
): AsyncGenerator<readonly DomainEvent[]> {
  const first = eventPosition(fromBlock, 0)
  const last = eventPosition(toBlock, positionsPerBlock - 1)
  for await (const lines of eventLines(reads, { chainId, ordinal, first, last }, 'all')) {
    yield lines.flatMap(({ position, line }) => {
      const read = readStoredEvent(position, line)
      return read.kind === 'event' ? [read.stored.event] : []
    })
  }
}
