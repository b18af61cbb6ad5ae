import { StoreInvariantError } from '../../errors/storeErrors.ts'
import type { ChainStatus } from '../../model/chainState.ts'
import type { ChainId } from '../../model/compositeId.ts'
import type { UnixMilliseconds } from '../../model/time.ts'
import type {
  ApplySummary,
  BlockBatch,
  ChainIdentity,
  IndexedContract,
  IndexWriter,
  OpenedChain,
  RevertSummary,
} from '../indexWriter.ts'
import type { ChainRow } from '../layout/entries.ts'
import { applyBlocks } from './applyBlocks.ts'
import { findChainRow, writeChainRow } from './chainRow.ts'
import type { Connection } from './connection.ts'
import { openChain, readContracts, saveChainStatus } from './openChain.ts'
import { revertBlocks } from './revertBlocks.ts'
import { createWriterSession } from './writerSession.ts'
import { createWriterMemory, keepMemory, lockState, writeState, type WriterState } from './writerState.ts'

/** What came of a transaction that writes to a chain. */
interface Written<Result> {
  readonly summary: Result
  /** Whether any answer may have changed. */
  readonly touched: boolean
  /** Whether the rows in memory are those of the database afterwards. */
  readonly keepsMemory: boolean
}

/**
 * Writes into the database at `url`, which `migratePostgres` has brought up to date. Everything a call does happens in one
 * transaction; calls wait for one another. The connection comes about with the first call, and again with the next one after it was
 * lost: a call during which it is lost rejects with a `StoreUnavailableError`, and what it wanted has either happened as a whole or
 * not at all, which `openChain` tells.
 */
export function openPostgresWriter(url: string): IndexWriter {
  const session = createWriterSession(url)
  const memory = createWriterMemory()

  /** Runs a transaction that writes to a chain, alone among all writers of the database. */
  async function write<Result>(
    chainId: ChainId,
    work: (state: WriterState, chain: ChainRow) => Promise<Written<Result>>,
  ): Promise<Result> {
    await session.keepClaim(chainId)
    let state: WriterState | null = null
    let keeps = false
    const transaction = async (connection: Connection) => {
      state = await lockState(connection, memory)
      const chain = await findChainRow(connection, chainId)
      if (chain === null) {
        throw new StoreInvariantError(`chain ${chainId} was never opened`, { facts: { chainId } })
      }
      session.assertClaimed(chainId)
      const { summary, touched, keepsMemory } = await work(state, chain)
      keeps = keepsMemory
      await writeChainRow(connection, chain)
      await writeState(state, touched)
      return summary
    }
    return session.transact(transaction, () => {
      if (state !== null && keeps) keepMemory(state)
    })
  }

  return {
    claimChain: (chainId: ChainId): Promise<boolean> => session.claim(chainId),
    releaseChain: (chainId: ChainId): Promise<void> => session.release(chainId),
    openChain: async (chain: ChainIdentity): Promise<OpenedChain> => {
      // Whoever opens a chain reads what it is like now: a claim that was lost may be had again.
      await session.claim(chain.chainId)
      await session.keepClaim(chain.chainId)
      return session.transact(async (connection) => {
        session.assertClaimed(chain.chainId)
        await lockState(connection, memory)
        return openChain(connection, chain)
      })
    },
    listContracts: (chainId: ChainId): Promise<readonly IndexedContract[]> =>
      session.transact((connection) => readContracts(connection, chainId)),
    applyBlocks: (chainId: ChainId, batch: BlockBatch): Promise<ApplySummary> =>
      write(chainId, async (state, chain) => ({
        ...(await applyBlocks(state, chain, batch)),
        keepsMemory: true,
      })),
    revertBlocks: (chainId: ChainId, toBlock: number, revertedAt: UnixMilliseconds): Promise<RevertSummary> =>
      write(chainId, async (state, chain) => {
        if (chain.checkpointBlock === null || toBlock >= chain.checkpointBlock) {
          const summary = { schemas: 0, attestations: 0, revocations: 0 }
          return { summary, touched: false, keepsMemory: true }
        }
        return { ...(await revertBlocks(state, chain, toBlock, revertedAt)), keepsMemory: false }
      }),
    saveChainStatus: async (status: ChainStatus): Promise<void> => {
      await session.keepClaim(status.chainId)
      await session.transact(async (connection) => {
        session.assertClaimed(status.chainId)
        // A lost status is saved again soon: it is not worth waiting for the disk.
        await connection.exec('SET LOCAL synchronous_commit = off')
        await saveChainStatus(connection, status)
      })
    },
    close: () => session.close(),
  }
}
