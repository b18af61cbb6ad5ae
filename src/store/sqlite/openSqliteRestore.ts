import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StoreInvariantError, StoreNotEmptyError } from '../../errors/storeErrors.ts'
import type { ChainId } from '../../model/compositeId.ts'
import { positionBlock, type Position } from '../../model/position.ts'
import { unixMilliseconds } from '../../model/time.ts'
import { checkOrder } from '../checkOrder.ts'
import type { ChainProgress, IndexRestore, StoredEvent } from '../indexRestore.ts'
import type { ChainIdentity } from '../indexWriter.ts'
import { type Changes, createChanges } from '../layout/changes.ts'
import type { ChainRow } from '../layout/entries.ts'
import { rememberedMax } from '../layout/rememberedMax.ts'
import { applyEvent, emptySummary } from './applyBlocks.ts'
import { findChainRow, writeChainRow } from './chainRow.ts'
import { openConnection, type Connection } from './connection.ts'
import { migrateSqlite, type MigrateOptions } from './migrateSqlite.ts'
import { openChain } from './openChain.ts'
import { openSqliteReader } from './openSqliteReader.ts'
import { settleClaimAt } from './revocations.ts'
import { updateNames } from './schemaNames.ts'
import { translateSqliteError, translatingErrors } from './translateSqliteError.ts'
import { writeChanges } from './writeChanges.ts'
import { writeProtocolCounts } from './writeProtocolCounts.ts'
import { createWriterState, refreshState, type WriterState } from './writerState.ts'

/**
 * Restores into a database beside the one at `path`, which takes its place in `finish`: by a rename, so that there is either
 * nothing of it or all of it. Whoever calls this holds the lock of the database.
 * @throws StoreNotEmptyError when the database at `path` holds a chain already, or is open elsewhere.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteRestore(path: string, options: MigrateOptions = {}): IndexRestore {
  assertReplaceable(path)
  removeLeftovers(path)
  const partial = `${path}.${process.pid}.import`
  const { connection, state } = translatingErrors(partial, () => openPartial(partial, options))
  let lastPosition = -1
  let open = true

  function transact(chainId: ChainId, work: (chain: ChainRow) => void): Promise<void> {
    try {
      translatingErrors(partial, () => {
        connection.exec('BEGIN')
        refreshState(state)
        const chain = findChainRow(connection, chainId)
        if (chain === null) throw new StoreInvariantError(`chain ${chainId} was never opened`)
        work(chain)
        writeChainRow(connection, chain)
        connection.exec('UPDATE index_state SET version = version + 1; COMMIT')
      })
      return Promise.resolve()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  function closeConnection(): void {
    if (open) connection.close()
    open = false
  }

  return {
    openChain: (identity: ChainIdentity) => {
      lastPosition = -1
      return settle(partial, () => {
        if (findChainRow(connection, identity.chainId) !== null) {
          throw new StoreInvariantError(`chain ${identity.chainId} is there twice`)
        }
        openChain(connection, identity)
      })
    },
    applyEvents: (chainId, events) =>
      transact(chainId, (chain) => {
        lastPosition = checkOrder(chainId, events, lastPosition)
        applyStored(state, chain, events)
      }),
    closeChain: (chainId, progress) =>
      transact(chainId, (chain) => {
        const lastBlock = lastPosition < 0 ? -1 : positionBlock(lastPosition as Position)
        if (lastBlock > (progress.checkpoint?.blockNumber ?? -1)) {
          throw new StoreInvariantError(`chain ${chainId} has an event above its checkpoint`)
        }
        restoreProgress(connection, chain, progress)
      }),
    exportLines: async function* ({ program }) {
      const reader = openSqliteReader(partial)
      try {
        yield* reader.exportLines({ program })
      } finally {
        await reader.close()
      }
    },
    finish: () =>
      settle(path, () => {
        connection.exec('PRAGMA journal_mode = WAL')
        closeConnection()
        assertReplaceable(path)
        syncToDisk(partial)
        renameSync(partial, path)
        removeLogs(path)
        removeLogs(partial)
        syncToDisk(dirname(path))
      }),
    abandon: () =>
      settle(partial, () => {
        closeConnection()
        removeDatabase(partial)
      }),
  }
}

function openPartial(
  partial: string,
  options: MigrateOptions,
): { readonly connection: Connection; readonly state: WriterState } {
  migrateSqlite(partial, options)
  const connection = openConnection(partial, { readOnly: false, cacheMib: 64, mapMib: 0 })
  try {
    // Until it is renamed nobody needs it: what a crash or a step that failed leaves of it is thrown away. A journal would hold every
    // page that a step changes, and in a large index that is nearly one for each row of an index.
    connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF')
    return { connection, state: createWriterState(connection, rememberedMax.copying) }
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Applies events as `applyBlocks` does, each with the time at which it was stored. */
function applyStored(state: WriterState, chain: ChainRow, events: readonly StoredEvent[]): void {
  const { connection } = state
  const changes = createChanges(1, chain, unixMilliseconds(0))
  for (const { event, storedAt } of events) {
    changes.storedAt = storedAt ?? unixMilliseconds(0)
    applyEvent(state, changes, emptySummary(), event)
  }
  writeChanges(state, changes)
  for (const stored of events) settleStored(connection, changes, stored)
  updateNames(connection, changes)
  writeProtocolCounts(connection, changes)
}

function settleStored(connection: Connection, changes: Changes, { event, settled }: StoredEvent): void {
  if (settled === null) return
  changes.storedAt = settled.storedAt
  if (settleClaimAt(connection, changes, event.position, settled.block)) return
  throw new StoreInvariantError('a settled claim belongs to no attestation that makes one', {
    facts: { position: event.position },
  })
}

function restoreProgress(connection: Connection, chain: ChainRow, progress: ChainProgress): void {
  chain.checkpointBlock = progress.checkpoint?.blockNumber ?? null
  chain.checkpointTimestamp = progress.checkpoint?.timestamp ?? null
  chain.rewindTo = progress.rewindTo
  for (const { number, hash, parentHash, timestamp } of progress.recentBlocks) {
    connection
      .statement(
        'INSERT INTO recent_block (chain_id, number, hash, parent_hash, timestamp) VALUES (?, ?, ?, ?, ?)',
      )
      .run(chain.chainId, number, hash, parentHash, timestamp)
  }
}

/** There must be nothing at the path, or an index of no chain that no other process has open. */
function assertReplaceable(path: string): void {
  if (!existsSync(path)) return
  translatingErrors(path, () => {
    migrateSqlite(path)
    const connection = openConnection(path, { readOnly: false, cacheMib: 1 })
    try {
      const chains = connection.statement<[number]>('SELECT count(*) FROM chain').get()?.[0] ?? 0
      if (chains > 0) {
        throw new StoreNotEmptyError(
          `the database ${path} holds ${chains} chains already; import into a new one`,
          {
            facts: { path },
          },
        )
      }
      // Leaving the write-ahead log is given only to the one connection there is.
      connection.exec('PRAGMA busy_timeout = 0')
      leaveLog(connection, path)
    } finally {
      connection.close()
    }
  })
}

function leaveLog(connection: Connection, path: string): void {
  try {
    connection.exec('PRAGMA journal_mode = DELETE')
  } catch (error) {
    throw new StoreNotEmptyError(`the database ${path} is open in another process; stop it first`, {
      cause: error,
      facts: { path },
    })
  }
}

/** What processes that were killed have left beside the database: whoever holds its lock is the only one that restores into it. */
function removeLeftovers(path: string): void {
  const folder = dirname(path)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const rest = name.startsWith(`${basename(path)}.`) ? name.slice(basename(path).length) : ''
    if (/^\.[0-9]+\.import(?:-wal|-shm|-journal)?$/.test(rest)) rmSync(join(folder, name), { force: true })
  }
}

function removeDatabase(path: string): void {
  rmSync(path, { force: true })
  removeLogs(path)
}

function removeLogs(path: string): void {
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(`${path}${suffix}`, { force: true })
}

function syncToDisk(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function settle(path: string, work: () => void): Promise<void> {
  try {
    work()
    return Promise.resolve()
  } catch (error) {
    return Promise.reject(translateSqliteError(path, error))
  }
}
