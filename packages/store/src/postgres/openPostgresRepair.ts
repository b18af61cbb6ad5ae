import { StoreUnavailableError } from '@attestry/core/errors/storeErrors.ts'
import { openIndexRepair } from '../auditing/openIndexRepair.ts'
import type { IndexRepair } from '@attestry/core/index/indexAudit.ts'
import type { ShadowSession } from '../port/shadow.ts'
import { chainLockKey } from './advisoryLock.ts'
import type { Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { checkLayout } from './migratePostgres.ts'
import { createPostgresTables } from './tables.ts'
import { revokeClaims } from '../writing/chainClaims.ts'
import { createShadowSession, openAuditConnection } from './shadow.ts'
import { withOwnErrors } from './translatePostgresError.ts'
import type { Readings } from '../auditing/shadowIndex.ts'

/**
 * Opens the database at `url` to mend it.
 * @throws StoreUnavailableError if another process has claimed a chain; StoreIncompatibleError. Both from its
 * methods.
 */
export function openPostgresRepair(url: string, readings: Readings): IndexRepair {
  const place = databasePlace(url)

  const open = (mode: 'shadow' | 'stored') => openAuditConnection(url, 'attestry repair', mode)

  async function transact(work: (session: ShadowSession) => Promise<void>): Promise<void> {
    const connection = await open('shadow')
    let source: Connection | null = null
    try {
      source = await open('stored')
      await checkLayout(source, place, readings.projections)
      await connection.begin('')
      // In the order of a writer, which takes the state last: two that wait for one another would both fail.
      await claimChains(connection, place)
      // Writers take turns: from here on the stored tables are as this transaction sees them.
      await connection.exec('SELECT FROM index_state FOR UPDATE')
      await source.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
      await work(await createShadowSession(connection, source, readings.projections))
      await connection.exec('COMMIT')
    } finally {
      await source?.close()
      await connection.close()
    }
  }

  return openIndexRepair((work) => withOwnErrors(place, () => transact(work)), readings)
}

/** Nobody else writes to any chain until the transaction ends, nor afterwards without a new claim. */
async function claimChains(connection: Connection, place: string): Promise<void> {
  for (const [chainId] of await connection.all<[number]>('SELECT chain_id FROM chain')) {
    const row = await connection.get<[boolean]>(
      'SELECT pg_try_advisory_xact_lock(?::bigint)',
      chainLockKey(chainId),
    )
    if (row?.[0] === true) continue
    throw new StoreUnavailableError(
      `another process indexes chain ${chainId} into ${place}: stop it before a repair`,
      { facts: { chainId, database: place } },
    )
  }
  await revokeClaims(createPostgresTables(connection))
}
