import { indexesOfBuild } from '../layout/deferredIndexes.ts'
import { stepsFrom } from '../layout/layoutSteps.ts'
import type { Reads } from '../port/reads.ts'
import type { ShadowSession } from '../port/shadow.ts'
import { openConnection, type Connection } from './connection.ts'
import { dropDeferred, receivedIndexes } from './dropDeferred.ts'
import { assertOwnSessions } from './findPooler.ts'
import { projectedTables, projectionStatements } from '../layout/projectionStatements.ts'
import type { Projection } from '../port/projection.ts'
import { postgresLayout, postgresWords } from './migrations.ts'
import { storedTables } from './storedTables.ts'
import { createPostgresTables } from './tables.ts'
import { wholeTableSettings, writerSettings } from './writerSession.ts'

/** The memory of the tables of a shadow. With the server's 8 MB, each row of an index would be read and written anew. */
const shadowSettings = { ...writerSettings, temp_buffers: '256MB' }

/** Opens a connection for an audit or a repair: one that fills the shadow, or one that reads the stored tables. */
export async function openAuditConnection(
  url: string,
  applicationName: string,
  mode: 'shadow' | 'stored',
): Promise<Connection> {
  await assertOwnSessions(url)
  const settings = mode === 'shadow' ? shadowSettings : {}
  return await openConnection({ url, applicationName, settings })
}

/**
 * Makes the shadow's tables in the running transaction of a connection, as temporary tables: PostgreSQL finds those
 * first.
 * `source` is a connection that sees the same state, by its plain names.
 */
export async function createShadowSession(
  connection: Connection,
  source: Reads,
  projections: readonly Projection[] = [],
): Promise<ShadowSession> {
  const row = await source.get<[string]>(
    'SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace ' +
      "WHERE c.oid = to_regclass('attestry_layout')",
  )
  if (row === undefined) throw new Error('the database has no layout')
  const [stored] = row
  const layout = { ...storedTables, ...projectedTables(projections) }
  const joined = Object.keys(layout).flatMap((name) => [`pg_temp.${name}`, `${stored}.${name}`])
  await connection.exec(
    `SET LOCAL search_path TO pg_temp, ${stored}; ${stepsFrom(postgresLayout, 0).join(';')};` +
      projectionStatements(projections, postgresWords),
  )
  const deferred = await dropDeferred(connection)
  return {
    tables: createPostgresTables(connection),
    source,
    stored,
    shadow: 'pg_temp',
    layout,
    prepareBuild: async () => {
      const made: readonly string[] = [...indexesOfBuild, ...receivedIndexes]
      for (const [name, sql] of deferred) if (made.includes(name)) await connection.exec(sql)
      // The writer's plans are for rows that are known by their keys; here whole tables are joined.
      await connection.exec(`ANALYZE ${joined.join(', ')}; ${wholeTableSettings}`)
    },
    // All that the database keeps of the rows is in the tables.
    compareBesides: async function* () {},
    rebuildBesides: () => Promise.resolve(),
  }
}
