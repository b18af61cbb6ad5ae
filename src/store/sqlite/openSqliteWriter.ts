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
import { createCommitGroup, type CommitGroupLimits } from './commitGroup.ts'
import { openConnection, type Connection } from './connection.ts'
import { checkLayout } from './migrateSqlite.ts'
import { openChain, readContracts } from './openChain.ts'
import { revertBlocks } from './revertBlocks.ts'
import { saveChainStatus } from './saveChainStatus.ts'
import { translatingErrors } from './translateSqliteError.ts'
import { mergeSchemaText } from './writeSchema.ts'
import { createWriterState, forgetState, refreshState, type WriterState } from './writerState.ts'

export interface SqliteWriterOptions {
  /** Memory for pages of the database, in MiB. */
  readonly cacheMib?: number
  /** How much of a backfill shares a commit. */
  readonly group?: Partial<CommitGroupLimits>
}

/**
 * Pages in the write-ahead log before SQLite moves them into the database: at 4 KiB each, 64 MiB at the head, and 256 MiB while a
 * backfill writes, which touches many pages again and again. A longer log costs readers, who look for every page in it first.
 */
const checkpointPages = { head: 16_384, backfill: 65_536 } as const

/** Events in a commit from which on it is taken to be one of a backfill. */
const backfillEvents = 1_000

/** Schemas after which the text index is worth being made one piece: each piece is looked through by every search. */
const schemasPerMerge = 1_000

/**
 * Opens the one writing connection to the database at `path`, which `migrateSqlite` has brought up to date. Everything a
 * call does happens synchronously, in one transaction, which batches of a backfill share.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteWriter(path: string, options: SqliteWriterOptions = {}): IndexWriter {
  const { connection, state } = translatingErrors(path, () => openWriter(path, options))
  let pace: keyof typeof checkpointPages = 'head'
  // A process before this one may have ended with a backfill, or an import: at worst the first commit finds nothing to merge.
  let unmergedSchemas: number = schemasPerMerge

  /** Sets the connection to what follows one another now, and makes up for what a backfill leaves undone. */
  function keepPace(batch: BlockBatch, { schemas }: ApplySummary): void {
    unmergedSchemas += schemas
    const next = batch.events.length >= backfillEvents ? 'backfill' : 'head'
    if (next === 'head' && unmergedSchemas >= schemasPerMerge) {
      mergeSchemaText(connection)
      unmergedSchemas = 0
    }
    if (next === pace) return
    connection.exec(`PRAGMA wal_autocheckpoint = ${checkpointPages[next]}`)
    pace = next
  }

  const group = createCommitGroup(
    connection,
    { onWork: () => refreshState(state), onRollback: () => forgetState(state) },
    options.group,
  )

  function translated<Result>(work: () => Result): Promise<Result> {
    return settle(() => translatingErrors(path, work))
  }

  return {
    // Whoever indexes into a file holds the lock of the whole of it.
    claimChain: () => Promise.resolve(true),
    releaseChain: () => Promise.resolve(),
    openChain: (chain: ChainIdentity): Promise<OpenedChain> =>
      translated(() => {
        const opened = group.alone(() => openChain(connection, chain))
        group.reopened(chain.chainId)
        return opened
      }),
    listContracts: (chainId: ChainId): Promise<readonly IndexedContract[]> =>
      translated(() => readContracts(connection, chainId)),
    applyBlocks: (chainId: ChainId, batch: BlockBatch): Promise<ApplySummary> =>
      translated(() => {
        group.assertKept(chainId)
        return group.together(chainId, batch, () => {
          const chain = requireChain(connection, chainId)
          const { summary, touched } = applyBlocks(state, chain, batch)
          writeChainRow(connection, chain)
          if (touched) moveVersion(connection)
          keepPace(batch, summary)
          return summary
        })
      }),
    revertBlocks: (chainId: ChainId, toBlock: number, revertedAt: UnixMilliseconds): Promise<RevertSummary> =>
      translated(() =>
        group.alone(() => {
          group.assertKept(chainId)
          const chain = requireChain(connection, chainId)
          if (chain.checkpointBlock === null || toBlock >= chain.checkpointBlock) {
            return { schemas: 0, attestations: 0, revocations: 0 }
          }
          forgetState(state)
          refreshState(state)
          const { summary, touched } = revertBlocks(state, chain, toBlock, revertedAt)
          forgetState(state)
          writeChainRow(connection, chain)
          if (touched) moveVersion(connection)
          return summary
        }),
      ),
    // A lost status is saved again soon: it is not worth waiting for the disk.
    saveChainStatus: (status: ChainStatus): Promise<void> =>
      translated(() => group.besides(status.chainId, () => saveChainStatus(connection, status))),
    close: () =>
      translated(() => {
        try {
          group.close()
        } finally {
          connection.close()
        }
      }),
  }
}

function openWriter(
  path: string,
  options: SqliteWriterOptions,
): { readonly connection: Connection; readonly state: WriterState } {
  const connection = openConnection(path, { readOnly: false, cacheMib: options.cacheMib ?? 256 })
  try {
    checkLayout(connection, path)
    connection.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${checkpointPages.head}`)
    return { connection, state: createWriterState(connection) }
  } catch (error) {
    connection.close()
    throw error
  }
}

function requireChain(connection: Connection, chainId: ChainId): ChainRow {
  const chain = findChainRow(connection, chainId)
  if (chain === null)
    throw new StoreInvariantError(`chain ${chainId} was never opened`, { facts: { chainId } })
  return chain
}

function moveVersion(connection: Connection): void {
  connection.statement('UPDATE index_state SET version = version + 1').run()
}

/** A promise of what the work returns or throws. */
function settle<Result>(work: () => Result): Promise<Result> {
  try {
    return Promise.resolve(work())
  } catch (error) {
    return Promise.reject(error)
  }
}
