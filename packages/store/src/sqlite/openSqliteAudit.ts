import { openIndexAudit } from '../auditing/openIndexAudit.ts'
import { rowDifference } from '../auditing/differences.ts'
import type { Difference, IndexAudit } from '@attestry/core/index/indexAudit.ts'
import type { AuditSnapshot } from '../port/shadow.ts'
import { openConnection, type Connection } from './connection.ts'
import { checkLayout } from './migrateSqlite.ts'
import { createShadowSession, openShadowConnection } from './shadow.ts'
import { translateSqliteError, translatingErrors } from './translateSqliteError.ts'
import type { Readings } from '../auditing/shadowIndex.ts'

/**
 * Opens an audit of the database at `path`, as it is now. The file is opened for reading only. While the audit is open,
 * the write-ahead log grows with the commits of others.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteAudit(path: string, readings: Readings): IndexAudit {
  const snapshot = translatingErrors(path, () => openSnapshot(path, readings))
  return openIndexAudit(
    {
      openSnapshot: () => Promise.resolve(snapshot),
      translateError: (error) => translateSqliteError(path, error),
    },
    readings,
  )
}

function openSnapshot(path: string, { projections }: Readings): AuditSnapshot {
  const connection = openConnection(path, { readOnly: true, cacheMib: 64, mapMib: 0 })
  let shadow: Connection | null = null
  try {
    checkLayout(connection, path, projections)
    shadow = openShadowConnection(path, 'reading')
    beginTogether(connection, shadow)
  } catch (error) {
    shadow?.close()
    connection.close()
    throw error
  }
  const opened = shadow
  return {
    reads: connection,
    findDamage: async function* () {
      yield* findDamage(connection)
    },
    openShadow: () => Promise.resolve(createShadowSession(opened, connection, projections)),
    close: () => {
      opened.close()
      connection.close()
      return Promise.resolve()
    },
  }
}

/**
 * Begins transactions that see the same state. A snapshot is taken at the first read; if another process commits
 * between the two, both begin anew.
 */
function beginTogether(connection: Connection, shadow: Connection): void {
  for (;;) {
    connection.exec('BEGIN')
    shadow.exec('BEGIN')
    if (stateOf(connection, 'main') === stateOf(shadow, 'stored')) return
    connection.exec('ROLLBACK')
    shadow.exec('ROLLBACK')
  }
}

/** The rows that every commit of a writer changes: the version, a chain's progress or status, or the journal. */
function stateOf(connection: Connection, schema: 'main' | 'stored'): string {
  return JSON.stringify([
    connection.statement(`SELECT * FROM ${schema}.chain ORDER BY ordinal`).all(),
    connection.statement(`SELECT * FROM ${schema}.index_state`).all(),
    connection.statement(`SELECT max(sequence) FROM ${schema}.change`).all(),
  ])
}

function* findDamage(connection: Connection): Generator<Difference> {
  for (const [message] of connection.statement<[string]>('PRAGMA integrity_check').all()) {
    if (message === 'ok') continue
    yield rowDifference('file', 'integrity_check', { stored: message, expected: 'ok' }, 'rebuild')
  }
  for (const [table, rowid] of connection
    .statement<[string, number | null]>('PRAGMA foreign_key_check')
    .all()) {
    const values = { stored: `row ${rowid} of ${table}`, expected: null }
    yield rowDifference('file', 'foreign_key_check', values, 'none')
  }
}
