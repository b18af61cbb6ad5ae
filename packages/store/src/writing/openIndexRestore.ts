import { StoreInvariantError } from '@attestry/core/errors/storeErrors.ts'
import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { standsBeside, type DomainEvent } from '@attestry/core/model/domainEvent.ts'
import { positionBlock, type Position } from '@attestry/core/model/position.ts'
import type { IndexRestore, MovedDigest, StoredEvent } from '@attestry/core/index/indexRestore.ts'
import { extendDigest } from '../layout/chainDigest.ts'
import type { ChainRow } from '../layout/entries.ts'
import type { FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import type { Projection } from '../port/projection.ts'
import type { Work } from '../port/writerSession.ts'
import { buildIndex } from '../building/buildIndex.ts'
import { loadEvents } from '../building/loadEvents.ts'
import { rememberBlocks } from './applyBlocks.ts'
import { findChainRow, requireChainRow, writeChainRow } from './chainRow.ts'
import { moveChainDigest } from './moveDigest.ts'
import { openChain } from './openChain.ts'
import { noteProgress } from './projectionProgress.ts'
import { createWriterMemory, openState, trimMemory, writeState, type WriterState } from './writerState.ts'

/** A database that is being filled: nothing of it can be seen before `finish`. Nobody else writes to it meanwhile. */
export interface RestoreSession {
  /** Runs work on the tables. Errors leave as ours. */
  step<Result>(work: Work<Result>): Promise<Result>
  /**
   * Makes the indexes that were left out while rows were written (deferredIndexes.ts), and gets the planner ready for
   * statements over whole tables.
   */
  prepareBuild(): Promise<void>
  exportLines(options: { readonly program: string }): AsyncIterable<string>
  finish(): Promise<void>
  abandon(): Promise<void>
}

/** Restores an index into a database that holds no chain. */
export function openIndexRestore(
  session: RestoreSession,
  indexing: FieldIndexing,
  projections: readonly Projection[] = [],
): IndexRestore {
  let opened: WriterState | null = null
  let lastPosition = -1
  let isBuilt = false

  function step<Result>(work: (state: WriterState) => Promise<Result>): Promise<Result> {
    return session.step(async (tables) => {
      opened ??= await openState(tables, createWriterMemory({ projections }), indexing)
      return work(opened)
    })
  }

  /** Makes all that follows from the events, and the state of the index. */
  async function build(): Promise<void> {
    if (isBuilt) return
    isBuilt = true
    await session.prepareBuild()
    await step(async (state) => {
      await buildIndex(state)
      await writeState(state, true)
    })
  }

  function withChain(chainId: ChainId, work: (state: WriterState, chain: ChainRow) => Promise<void>) {
    return step(async (state) => {
      const chain = await requireChainRow(state.tables, chainId)
      await work(state, chain)
      await writeChainRow(state.tables, chain)
    })
  }

  return {
    openChain: (identity) =>
      step(async ({ tables }) => {
        lastPosition = -1
        if ((await findChainRow(tables, identity.chainId)) !== null) {
          throw new StoreInvariantError(`chain ${identity.chainId} is there twice`)
        }
        await openChain(tables, identity, projections)
      }),
    applyEvents: (chainId, events, digests) =>
      withChain(chainId, async (state, chain) => {
        lastPosition = checkOrder(chainId, events, lastPosition)
        if ((await loadEvents(state, chain, events)) > 0) {
          throw new StoreInvariantError('a settled claim belongs to no attestation that makes one', {
            facts: { chainId },
          })
        }
        await moveChainDigest(state.tables, chain, digests ?? digestsOf(chain, events))
        trimMemory(state)
      }),
    closeChain: (chainId, progress) =>
      withChain(chainId, async (state, chain) => {
        const lastBlock = lastPosition < 0 ? -1 : positionBlock(lastPosition as Position)
        if (lastBlock > (progress.checkpoint?.blockNumber ?? -1)) {
          throw new StoreInvariantError(`chain ${chainId} has an event above its checkpoint`)
        }
        chain.checkpointBlock = progress.checkpoint?.blockNumber ?? null
        chain.checkpointTimestamp = progress.checkpoint?.timestamp ?? null
        chain.rewindTo = progress.rewindTo
        chain.digest = { ...chain.digest, block: chain.checkpointBlock }
        await noteProgress(state, chain)
        await rememberBlocks(state.tables, chain, progress.recentBlocks)
      }),
    exportLines: async function* (options) {
      await build()
      yield* session.exportLines(options)
    },
    finish: async () => {
      await build()
      await session.finish()
    },
    abandon: () => session.abandon(),
  }
}

function digestsOf({ digest }: ChainRow, events: readonly StoredEvent[]): MovedDigest {
  const bare = events.map(({ event }) => event)
  return extendDigest(digest, bare, positionBlock(bare.at(-1)?.position ?? (0 as Position)))
}

/**
 * Makes sure that the events of a chain that is restored ascend after the position `before`. Answers the last
 * position.
 * @throws StoreInvariantError
 */
function checkOrder(chainId: ChainId, events: readonly StoredEvent[], before: number): number {
  let last = before
  let previous: DomainEvent | undefined
  for (const { event } of events) {
    if (event.position <= last && !standsBeside(event, previous)) {
      throw new StoreInvariantError(`the events of chain ${chainId} are out of order or share a position`)
    }
    last = event.position
    previous = event
  }
  return last
}
