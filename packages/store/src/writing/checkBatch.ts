import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import { standsBeside, type DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock } from '@attestry/core/model/position.ts'
import type { BlockBatch } from '@attestry/core/index/indexWriter.ts'
import type { ChainRow } from '../layout/entries.ts'

/** How far a chain is indexed. */
type ChainPlace = Pick<ChainRow, 'chainId' | 'checkpointBlock' | 'rewindTo'>

/**
 * Makes sure that a batch follows what is indexed of its chain and that its events are in order and in place.
 * @throws StoreInvariantError
 */
export function checkBatch(chain: ChainPlace, batch: BlockBatch): void {
  const { fromBlock, checkpoint, events, recentBlocks } = batch
  const facts = {
    chainId: chain.chainId,
    fromBlock,
    toBlock: checkpoint.blockNumber,
    checkpoint: chain.checkpointBlock,
  }
  if (chain.rewindTo !== null) {
    throw new StoreInvariantError(
      `the contracts of chain ${chain.chainId} changed: revert to block ${chain.rewindTo} first`,
      { facts },
    )
  }
  if (chain.checkpointBlock !== null && fromBlock !== chain.checkpointBlock + 1) {
    throw new StoreInvariantError(
      `a batch of chain ${chain.chainId} begins at block ${fromBlock}, but block ${chain.checkpointBlock} was the last one indexed`,
      { facts },
    )
  }
  if (checkpoint.blockNumber < fromBlock) {
    throw new StoreInvariantError(`a batch of chain ${chain.chainId} ends before it begins`, { facts })
  }
  for (const [index, event] of events.entries()) checkEvent(chain, batch, event, events[index - 1])
  for (const [index, block] of recentBlocks.entries()) {
    if (block.number > checkpoint.blockNumber || block.number <= (recentBlocks[index - 1]?.number ?? -1)) {
      throw new StoreInvariantError(`the remembered blocks of chain ${chain.chainId} are out of order`, {
        facts,
      })
    }
  }
}

function checkEvent(
  chain: ChainPlace,
  batch: BlockBatch,
  event: DomainEvent,
  previous: DomainEvent | undefined,
): void {
  const block = positionBlock(event.position)
  const facts = { chainId: chain.chainId, block, position: event.position }
  if (block < batch.fromBlock || block > batch.checkpoint.blockNumber) {
    throw new StoreInvariantError(
      `an event of chain ${chain.chainId} in block ${block} is outside its batch`,
      { facts },
    )
  }
  const record =
    event.kind === 'schemaRegistered'
      ? event.schema
      : event.kind === 'attestationMade'
        ? event.attestation
        : null
  if (record !== null && (record.key.chainId !== chain.chainId || record.position !== event.position)) {
    throw new StoreInvariantError(`an event of chain ${chain.chainId} carries a record of another place`, {
      facts,
    })
  }
  if (standsBeside(event, previous)) return
  if (event.kind === 'schemaNamed') {
    throw new StoreInvariantError(`a schema of chain ${chain.chainId} is named without an attestation`, {
      facts,
    })
  }
  if (previous !== undefined && event.position <= previous.position) {
    throw new StoreInvariantError(
      `the events of chain ${chain.chainId} are out of order or share a position`,
      { facts },
    )
  }
}
