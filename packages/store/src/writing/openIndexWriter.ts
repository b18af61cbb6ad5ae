import type { ChainId } from '@attestry/core/model/compositeId.ts'
import { traced } from '@attestry/core/model/traced.ts'
import type { IndexWriter } from '@attestry/core/index/indexWriter.ts'
import type { Changes } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { noFieldIndexing, type FieldIndexing } from '@attestry/core/index/fieldIndexing.ts'
import type { JournalLimits } from '../layout/journal.ts'
import type { Projection } from '../port/projection.ts'
import type { BatchSize, OpenWriterSession } from '../port/writerSession.ts'
import { applyBlocks, forgetBlocks } from './applyBlocks.ts'
import { advanceFields, reconcileFields } from './buildFields.ts'
import { findChainRow, requireChainRow, writeChainRow } from './chainRow.ts'
import { markDefect, noteVerification, openChain, readContracts, saveChainStatus } from './openChain.ts'
import { hooksClaim, orderHook, saveHooks } from './writeHooks.ts'
import { revertBlocks } from './revertBlocks.ts'
import { countRecords, readEventPositions } from './surveyHistory.ts'
import { writeShared } from './writeChanges.ts'
import { createWriterMemory, keepMemory, openState, writeState, type WriterState } from './writerState.ts'

/** The result of a transaction that writes to a chain. */
interface Written<Result> {
  readonly summary: Result
  /** Changes to shared rows that are still to be written; null if nothing is left to write. */
  readonly changes: Changes | null
  /** Whether any answer of a reader may have changed. */
  readonly touched: boolean
  /** Whether the entries in memory equal the rows of the database afterwards. */
  readonly keepsMemory: boolean
}

export interface WriterOptions {
  /** The length of the journal of changes. */
  readonly journal?: JournalLimits | undefined
  /** Settings of the index of decoded fields; by default no schema's fields are indexed. */
  readonly fields?: FieldIndexing
  /** The projections that follow the index; none by default. */
  readonly projections?: readonly Projection[] | undefined
}

/** The writer of an index. Each call is one transaction of the session, which runs them one after the other. */
export function openIndexWriter(
  openSession: OpenWriterSession,
  { journal, fields: indexing = noFieldIndexing, projections }: WriterOptions,
): IndexWriter {
  const memory = createWriterMemory({ journal, projections })
  const session = openSession(() => {
    memory.revision = null
  })

  function write<Result>(
    chainId: ChainId,
    batch: BatchSize | null,
    work: (state: WriterState, chain: ChainRow) => Promise<Written<Result>>,
  ): Promise<Result> {
    let kept: WriterState | null = null
    return session.write(
      chainId,
      async (tables) => {
        const state = await openState(tables, memory, indexing)
        const chain = await requireChainRow(tables, chainId)
        const { summary, changes, touched, keepsMemory } = await work(state, chain)
        await writeChainRow(tables, chain)
        if (changes !== null) await writeShared(state, changes)
        await writeState(state, touched)
        if (keepsMemory) kept = state
        return summary
      },
      {
        batch,
        onKept: () => {
          if (kept !== null) keepMemory(kept)
        },
      },
    )
  }

  return {
    claimChain: (chainId) => session.claim(chainId),
    surveyChains: (chainIds) => session.survey(chainIds),
    releaseChain: (chainId) => session.release(chainId),
    openChain: (chain) =>
      session.open(chain.chainId, async (tables) => {
        const state = await openState(tables, memory, indexing)
        const opened = await openChain(tables, chain, memory.projections)
        const row = await findChainRow(tables, chain.chainId)
        if (row !== null) await writeState(state, await reconcileFields(state, row))
        return opened
      }),
    listContracts: (chainId) => session.read((tables) => readContracts(tables, chainId)),
    applyBlocks: (chainId, batch) => {
      const apply = () =>
        write(chainId, batch, async (state, chain) => {
          const { summary, changes } = await applyBlocks(state, chain, batch)
          return { summary, changes, touched: changes.touched, keepsMemory: true }
        })
      const { fromBlock, checkpoint } = batch
      return traced.commit.tracePromise(apply, {
        chainId: String(chainId),
        fromBlock,
        toBlock: checkpoint.blockNumber,
      })
    },
    revertBlocks: (chainId, toBlock, revertedAt) =>
      write(chainId, null, async (state, chain) => {
        if (chain.checkpointBlock === null || toBlock >= chain.checkpointBlock) {
          const summary = { schemas: 0, attestations: 0, revocations: 0 }
          return { summary, changes: null, touched: false, keepsMemory: true }
        }
        const { summary, changes } = await revertBlocks(state, chain, toBlock, revertedAt)
        return { summary, changes, touched: changes.touched, keepsMemory: false }
      }),
    advanceFields: (chainId) =>
      write(chainId, null, async (state, chain) => {
        const { progress, touched } = await advanceFields(state, chain)
        return { summary: progress, changes: null, touched, keepsMemory: true }
      }),
    saveChainStatus: (status) =>
      session.writeBesides(status.chainId, (tables) => saveChainStatus(tables, status)),
    forgetBlocks: (chainId, below) =>
      session.writeBesides(chainId, (tables) => forgetBlocks(tables, chainId, below)),
    markDefect: (chainId, defect, settled) =>
      session.read((tables) => markDefect(tables, chainId, defect, settled)),
    noteVerification: (chainId, verification) =>
      session.read((tables) => noteVerification(tables, chainId, verification)),
    readEventPositions: (chainId, fromBlock, toBlock) =>
      session.read((tables) => readEventPositions(tables, chainId, fromBlock, toBlock)),
    countRecords: (chainId) => session.read((tables) => countRecords(tables, memory.projections, chainId)),
    listSubjectCounts: (chainId, protocol, from, limit) =>
      session.read(async (tables) => {
        const subjects = memory.projections.find((each) => each.subjects?.protocol === protocol)?.subjects
        return (await subjects?.listCounts(tables, chainId, from, limit)) ?? []
      }),
    claimHooks: () => session.claim(hooksClaim),
    saveHooks: (saved) => session.writeBesides(hooksClaim, (tables) => saveHooks(tables, saved)),
    orderHook: (name, order) => session.read((tables) => orderHook(tables, name, order)),
    close: () => session.close(),
  }
}
