import type { DomainEvent } from '@attestry/core/model/domainEvent.ts'
import type { MovedDigest } from '@attestry/core/index/indexRestore.ts'
import { extendDigest, noDigest } from '../layout/chainDigest.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { Tables } from '../port/tables.ts'
import { readDigest } from '../reading/readDigest.ts'

/**
 * The digest of a chain in the transactions that move the chain. Invariant: the digest is that of all events up to its
 * own block, which is the checkpoint. A digest that damage or a step of the layout took stays away until
 * `attestry verify --repair` makes it.
 */

/** Adds the events of all blocks after the digest's block up to `toBlock`. */
export async function addToChainDigest(
  tables: Tables,
  chain: ChainRow,
  events: readonly DomainEvent[],
  toBlock: number,
): Promise<void> {
  await moveChainDigest(tables, chain, extendDigest(chain.digest, events, toBlock))
}

/** Writes the digest of further events. */
export async function moveChainDigest(
  tables: Tables,
  chain: ChainRow,
  { digest, marks }: MovedDigest,
): Promise<void> {
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
