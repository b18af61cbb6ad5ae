import { StoreInvariantError, StoreNotEmptyError } from '../../errors/storeErrors.ts'
import type { ChainId } from '../../model/compositeId.ts'
import { positionBlock, type Position } from '../../model/position.ts'
import { checkOrder } from '../checkOrder.ts'
import type { ChainProgress, IndexRestore } from '../indexRestore.ts'
import type { ChainRow } from '../layout/entries.ts'
import { rememberedMax } from '../layout/rememberedMax.ts'
import { exportLines } from '../transfer/exportLines.ts'
import { rememberBlocks } from './applyBlocks.ts'
import { applyStored } from './applyStored.ts'
import { findChainRow, writeChainRow } from './chainRow.ts'
import { openConnection, type Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { migratePostgres, type MigratePostgresOptions } from './migratePostgres.ts'
import { openChain } from './openChain.ts'
import { createStatementTexts } from './statementTexts.ts'
import { translatePostgresError } from './translatePostgresError.ts'
import { writerSettings } from './writerSession.ts'
import { createWriterMemory, lockState, trimMemory, writeState, type WriterState } from './writerState.ts'

/**
 * Restores into the database at `url` within one transaction, which `finish` commits: there is either nothing of it or all of it.
 * Meanwhile readers see the empty index, and other writers wait.
 */
export function openPostgresRestore(url: string, options: MigratePostgresOptions = {}): IndexRestore {
  const place = databasePlace(url)
  let opened: Promise<WriterState> | null = null
  let lastPosition = -1

  /** Runs a step of the restore in the transaction, which the first one begins. */
  async function step<Result>(work: (state: WriterState) => Promise<Result>): Promise<Result> {
    try {
      opened ??= begin(url, place, options)
      return await work(await opened)
    } catch (error) {
      throw translatePostgresError(place, error)
    }
  }

  function withChain(chainId: ChainId, work: (state: WriterState, chain: ChainRow) => Promise<void>) {
    return step(async (state) => {
      const chain = await findChainRow(state.connection, chainId)
      if (chain === null) throw new StoreInvariantError(`chain ${chainId} was never opened`)
      await work(state, chain)
      await writeChainRow(state.connection, chain)
    })
  }

  return {
    openChain: (identity) =>
      step(async ({ connection }) => {
        lastPosition = -1
        if ((await findChainRow(connection, identity.chainId)) !== null) {
          throw new StoreInvariantError(`chain ${identity.chainId} is there twice`)
        }
        await openChain(connection, identity)
      }),
    applyEvents: (chainId, events) =>
      withChain(chainId, async (state, chain) => {
        lastPosition = checkOrder(chainId, events, lastPosition)
        if ((await applyStored(state, chain, events)) > 0) {
          throw new StoreInvariantError('a settled claim belongs to no attestation that makes one', {
            facts: { chainId },
          })
        }
        trimMemory(state)
      }),
    closeChain: (chainId, progress) =>
      withChain(chainId, async ({ connection }, chain) => {
        const lastBlock = lastPosition < 0 ? -1 : positionBlock(lastPosition as Position)
        if (lastBlock > (progress.checkpoint?.blockNumber ?? -1)) {
          throw new StoreInvariantError(`chain ${chainId} has an event above its checkpoint`)
        }
        await restoreProgress(connection, chain, progress)
      }),
    exportLines: async function* ({ program }) {
      const { connection } = await step(async (state) => {
        await writeState(state, false)
        return state
      })
      try {
        yield* exportLines(connection, { program })
      } catch (error) {
        throw translatePostgresError(place, error)
      }
    },
    finish: () =>
      step(async (state) => {
        await writeState(state, true)
        // Readers plan by statistics, and must not wait for them.
        await state.connection.exec('ANALYZE')
        await state.connection.exec('COMMIT')
        await state.connection.close()
      }),
    // The server takes everything back with the connection.
    abandon: async () => {
      const state = await opened?.catch(() => null)
      await state?.connection.close().catch(() => undefined)
    },
  }
}

/** Begins the transaction on a connection of its own, and makes sure that there is nothing in the index yet. */
async function begin(url: string, place: string, options: MigratePostgresOptions): Promise<WriterState> {
  await migratePostgres(url, options)
  const connection = await openConnection({
    url,
    applicationName: 'attestry import',
    settings: writerSettings,
    statements: createStatementTexts(),
  })
  try {
    await connection.exec('BEGIN')
    const state = await lockState(connection, createWriterMemory(rememberedMax.copying))
    const [chains] = (await connection.get<[number]>('SELECT count(*) FROM chain')) ?? [0]
    if (chains > 0) {
      throw new StoreNotEmptyError(
        `the database ${place} holds ${chains} chains already; import into a new one`,
        { facts: { database: place } },
      )
    }
    return state
  } catch (error) {
    await connection.close()
    throw error
  }
}

async function restoreProgress(
  connection: Connection,
  chain: ChainRow,
  progress: ChainProgress,
): Promise<void> {
  chain.checkpointBlock = progress.checkpoint?.blockNumber ?? null
  chain.checkpointTimestamp = progress.checkpoint?.timestamp ?? null
  chain.rewindTo = progress.rewindTo
  await rememberBlocks(connection, chain, progress.recentBlocks)
}
