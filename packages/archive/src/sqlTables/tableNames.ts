import { ConfigError } from '@attestry/core/errors/configErrors.ts'
import type { DatabaseConfig } from '@attestry/host/config/resolveDatabase.ts'
import { importProjections } from '@attestry/host/openDatabase.ts'
import { furtherViewTable } from '@attestry/store/layout/furtherViews.ts'
import { viewNames } from '@attestry/store/layout/sqlViews.ts'
import { tables as indexTables } from '@attestry/store/layout/tables.ts'

/** With `_recipients`, a name has at most the 63 bytes that PostgreSQL keeps. */
export const namePattern = /^[a-z][a-z0-9_]{0,47}$/

const reserved: ReadonlySet<string> = new Set([
  ...viewNames,
  ...Object.keys(indexTables),
  furtherViewTable,
  'outbox',
])

/** Whether a name is one of the index's own tables and views, or may become one. */
export function isReservedName(name: string): boolean {
  return reserved.has(name) || /^(?:attestry|typed|sqlite|pg)_/.test(name)
}

/**
 * Makes sure that nothing else in a database has the names of typed tables.
 * @throws ConfigError
 */
export async function assertNamesFree(
  config: DatabaseConfig,
  tables: readonly { readonly name: string }[],
): Promise<void> {
  const names = tables.flatMap(({ name }) => [name, `${name}_recipients`])
  const ofWings = await namesOfProjections(config)
  const taken = names.find((name) => ofWings.has(name)) ?? (await findTaken(config, names))
  if (taken === undefined) return
  throw new ConfigError(
    `sql.tables would make a view ${taken}, but the database has another table or view of this name; choose another name`,
  )
}

async function namesOfProjections(config: DatabaseConfig): Promise<ReadonlySet<string>> {
  const projections = await importProjections(config)
  return new Set(
    projections.flatMap(({ tables, viewComments }) => [
      ...tables.map(({ name }) => name),
      ...Object.keys(viewComments),
    ]),
  )
}

/** undefined as well for a database that cannot be opened yet, which the start reports by itself. */
async function findTaken(config: DatabaseConfig, names: readonly string[]): Promise<string | undefined> {
  const { openTyped } = await import('./openTyped.ts')
  const { readNotes } = await import('./typedTable.ts')
  const database = await openTyped(config).catch(() => null)
  if (database === null) return undefined
  try {
    const notes = (await database.hasNotes()) ? await readNotes(database) : []
    const own = new Set(notes.flatMap(({ name }) => [name, `${name}_recipients`]))
    for (const name of names) if (!own.has(name) && (await database.holds(name))) return name
    return undefined
  } finally {
    await database.close()
  }
}
