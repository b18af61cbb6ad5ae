import { openIndexRepair } from '../auditing/openIndexRepair.ts'
import type { IndexRepair } from '@attestry/core/index/indexAudit.ts'
import type { ShadowSession } from '../port/shadow.ts'
import { openConnection, withConnection } from './connection.ts'
import { createSqliteTables } from './tables.ts'
import { revokeClaims } from '../writing/chainClaims.ts'
import { checkLayout } from './migrateSqlite.ts'
import { createShadowSession, openShadowConnection } from './shadow.ts'
import { translatingErrors, withOwnErrors } from './translateSqliteError.ts'
import type { Readings } from '../auditing/shadowIndex.ts'

/**
 * Opens the database at `path` to mend it. The caller holds the lock of the database.
 * @throws StoreUnavailableError, StoreIncompatibleError
 */
export function openSqliteRepair(path: string, readings: Readings): IndexRepair {
  translatingErrors(path, () =>
    withConnection(path, { readOnly: true, cacheMib: 1 }, (connection) =>
      checkLayout(connection, path, readings.projections),
    ),
  )
  return openIndexRepair(
    (work) =>
      withOwnErrors(path, async () => {
        rebuildIndexes(path)
        await transact(path, readings, work)
      }),
    readings,
  )
}

async function transact(
  path: string,
  { projections }: Readings,
  work: (session: ShadowSession) => Promise<void>,
): Promise<void> {
  const connection = openShadowConnection(path, 'writing')
  try {
    // From here on nobody else writes: the other connection sees what this one does.
    connection.exec('BEGIN IMMEDIATE')
    await revokeClaims(createSqliteTables(connection))
    const source = openConnection(path, { readOnly: true, cacheMib: 64, mapMib: 0 })
    try {
      source.exec('BEGIN')
      await work(createShadowSession(connection, source, projections))
    } finally {
      source.close()
    }
    connection.exec('COMMIT')
  } finally {
    // Uncommitted work is rolled back.
    connection.close()
  }
}

/** Makes the indexes anew if SQLite finds the file damaged: reads by an index that lacks entries miss their rows. */
function rebuildIndexes(path: string): void {
  withConnection(path, { readOnly: false, cacheMib: 256 }, (connection) => {
    const [intact] = connection.statement<[string]>('PRAGMA integrity_check(1)').get() ?? ['']
    if (intact !== 'ok') connection.exec('PRAGMA synchronous = FULL; REINDEX')
  })
}
