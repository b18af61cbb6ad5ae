import { openIndexAudit } from '../auditing/openIndexAudit.ts'
import type { IndexAudit } from '@attestry/core/index/indexAudit.ts'
import type { AuditSnapshot } from '../port/shadow.ts'
import type { Connection } from './connection.ts'
import { databasePlace } from './databasePlace.ts'
import { checkLayout } from './migratePostgres.ts'
import { createShadowSession, openAuditConnection } from './shadow.ts'
import { translatePostgresError } from './translatePostgresError.ts'
import type { Readings } from '../auditing/shadowIndex.ts'

/**
 * Opens an audit of the database at `url`, as it is now. The shadow stands in temporary tables.
 * @throws StoreUnavailableError, StoreIncompatibleError from its methods
 */
export function openPostgresAudit(url: string, readings: Readings): IndexAudit {
  const place = databasePlace(url)
  return openIndexAudit(
    {
      openSnapshot: () => openSnapshot(url, place, readings),
      translateError: (error) => translatePostgresError(place, error),
    },
    readings,
  )
}

async function openSnapshot(url: string, place: string, { projections }: Readings): Promise<AuditSnapshot> {
  const open = (mode: 'shadow' | 'stored') => openAuditConnection(url, 'attestry verify', mode)
  const connection = await open('stored')
  let shadow: Connection | null = null
  try {
    await checkLayout(connection, place, projections)
    await connection.exec('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const [id] = (await connection.get<[string]>('SELECT pg_export_snapshot()')) ?? ['']
    return {
      reads: connection,
      // The server reports damage of its files by failing.
      findDamage: async function* () {},
      openShadow: async () => {
        shadow = await open('shadow')
        await shadow.exec(`BEGIN ISOLATION LEVEL REPEATABLE READ; SET TRANSACTION SNAPSHOT '${id}'`)
        return createShadowSession(shadow, connection, projections)
      },
      close: async () => {
        await shadow?.close()
        await connection.close()
      },
    }
  } catch (error) {
    await connection.close()
    throw error
  }
}
