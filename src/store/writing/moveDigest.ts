import type { DomainEvent } from '../../model/domainEvent.ts'
import { positionBlock } from '../../model/position.ts'
import { extendDigest, noDigest } from '../layout/chainDigest.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { Tables } from '../port/tables.ts'
import { readDigest, readEvents } from '../reading/readDigest.ts'

/**
 * The digest of a chain in the transactions that move the chain. Invariant: the digest is that of all events up to its
 * own block. Its block is the checkpoint, except in a database that was indexed before there were digests: there
 * `advanceDigest` brings the digest to the checkpoint, and blocks that are applied meanwhile wait in their rows.
 */

/** Adds the events of all blocks after the digest's block up to `toBlock`. */
export async function addToChainDigest(
  tables: Tables,
  chain: ChainRow,
  events: readonly DomainEvent[],
  toBlock: number,
): Promise<void> {
  const { digest, marks } = extendDigest(chain.digest, events, toBlock)
  chain.digest = digest
  await tables.append(
    'chain_digest',
    marks.map(({ block, events: count, sum }) => {
      return { chain_id: chain.chainId, block, events: count, digest: sum }
    }),
  )
}

/** Makes the digest that of an older block, from the rows up to that block; -1: of none. */
export async function takeBackDigest(tables: Tables, chain: ChainRow, toBlock: number): Promise<void> {
  if ((chain.digest.block ?? -1) <= toBlock) return
  await tables.run('DELETE FROM chain_digest WHERE chain_id = ? AND block > ?', chain.chainId, toBlock)
  chain.digest = toBlock === -1 ? noDigest : await readDigest(tables, chain, toBlock)
}

/** Events of one step: some tenths of a second, for which the head of the chain waits. */
const eventsPerStep = 5_000

/** Does one step towards a digest at the checkpoint. Resolves to whether the digest was there already. */
export async function advanceDigest(tables: Tables, chain: ChainRow): Promise<boolean> {
  const { checkpointBlock } = chain
  const fromBlock = (chain.digest.block ?? -1) + 1
  if (checkpointBlock === null || fromBlock > checkpointBlock) return true
  const step: DomainEvent[] = []
  for await (const events of readEvents(tables, chain, fromBlock, checkpointBlock)) {
    step.push(...events)
    if (step.length < eventsPerStep) continue
    const lastBlock = blockOfLast(step)
    const whole = step.filter(({ position }) => positionBlock(position) < lastBlock)
    // A single block of that many events is read whole.
    if (whole.length === 0) continue
    await addToChainDigest(tables, chain, whole, lastBlock - 1)
    return false
  }
  await addToChainDigest(tables, chain, step, checkpointBlock)
  return false
}

function blockOfLast(events: readonly DomainEvent[]): number {
  const last = events.at(-1)
  return last === undefined ? -1 : positionBlock(last.position)
}
