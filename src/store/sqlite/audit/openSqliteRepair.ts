import { StoreInvariantError } from '../../../errors/storeErrors.ts'
import type { ChainId } from '../../../model/compositeId.ts'
import { unixMilliseconds } from '../../../model/time.ts'
import type { IndexRepair } from '../../indexAudit.ts'
import { findChainRow, writeChainRow } from '../chainRow.ts'
import { openConnection, type Connection } from '../connection.ts'
import { checkLayout } from '../migrateSqlite.ts'
import { settleClaims } from '../revocations.ts'
import { translatingErrors } from '../translateSqliteError.ts'
import { writeChanges } from '../writeChanges.ts'
import { createWriterState, refreshState, type WriterState } from '../writerState.ts'
import { type Changes, createChanges } from '../../layout/changes.ts'
import { rebuildCounters, rebuildDerived } from './rebuildDerived.ts'
import { deleteAbove, deleteRanges, insertRanges } from './replaceBlocks.ts'

/**
 * Opens the database at `path` to mend it. Whoever calls this holds its lock.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteRepair(path: string): IndexRepair {
  const connection = translatingErrors(path, () => openRepair(path))

  /** One transaction, with everything derived made anew at its end. */
  function transact(work: () => void): Promise<void> {
    try {
      translatingErrors(path, () => {
        connection.exec('BEGIN IMMEDIATE')
        try {
          rebuildIndexes(connection)
          work()
          rebuildDerived(connection)
          connection.exec('COMMIT')
        } catch (error) {
          connection.exec('ROLLBACK')
          throw error
        }
      })
      return Promise.resolve()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  function openChanges(chainId: ChainId, storedAt: number): Changes {
    const chain = findChainRow(connection, chainId)
    if (chain === null) throw new StoreInvariantError(`chain ${chainId} was never opened`)
    return createChanges(1, chain, unixMilliseconds(storedAt))
  }

  return {
    rebuild: () => transact(() => undefined),
    replaceBlocks: (chainId, ranges, storedAt) =>
      transact(() => {
        const reopened = deleteRanges(connection, openChanges(chainId, storedAt), ranges)
        // The writer goes on from counters, so they must be those of the rows.
        rebuildCounters(connection)
        const state = createStateWithoutLists(connection)
        const changes = openChanges(chainId, storedAt)
        deletePostings(connection)
        insertRanges(state, changes, ranges, reopened)
        writeChanges(state, changes)
        settleClaims(connection, changes)
        writeChainRow(connection, changes.chain)
      }),
    rewind: (chainId, toBlock) =>
      transact(() => {
        const changes = openChanges(chainId, 0)
        deleteAbove(connection, changes, toBlock)
        writeChainRow(connection, changes.chain)
      }),
    close: () => {
      connection.close()
      return Promise.resolve()
    },
  }
}

function openRepair(path: string): Connection {
  const connection = openConnection(path, { readOnly: false, cacheMib: 256 })
  try {
    checkLayout(connection, path)
    connection.exec('PRAGMA synchronous = FULL; PRAGMA temp_store = FILE')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

/** An index that contradicts its table would fail whatever touches the rows that it lacks. */
function rebuildIndexes(connection: Connection): void {
  const [intact] = connection.statement<[string]>('PRAGMA integrity_check(1)').get() ?? ['']
  if (intact !== 'ok') connection.exec('REINDEX')
}

/** A state in which no list is large enough for a tree: trees are made anew at the end, from the rows. */
function createStateWithoutLists(connection: Connection): WriterState {
  const state = { ...createWriterState(connection), rankThreshold: Number.POSITIVE_INFINITY }
  refreshState(state)
  return state
}

/** They are made anew at the end; until then none must stand in the way of those that the writer inserts. */
function deletePostings(connection: Connection): void {
  for (const table of ['received_by_chain', 'received_by_schema', 'value_posting']) {
    connection.exec(`DELETE FROM ${table}`)
  }
}
