import { StoreIncompatibleError } from '@attestry/core/errors/storeErrors.ts'
import { withConnection, type Connection } from './connection.ts'
import { stepsFrom, type Layout } from '../layout/layoutSteps.ts'

/**
 * Makes sure that a database has every table, column and index of the layout that it says it has, before that is built
 * upon. Anything else in the database is ignored.
 * @throws StoreIncompatibleError naming the first one that is not there.
 */
export function checkTables(connection: Connection, path: string, layout: Layout, version: number): void {
  const held = new Set(listParts(connection))
  const missing = listPartsOf(layout, version).find((part) => !held.has(part))
  if (missing === undefined) return
  throw new StoreIncompatibleError(
    `the database ${path} says that it has layout ${version}, but has no ${missing}: no release made it so; index into a new database`,
    { facts: { path, version } },
  )
}

function listPartsOf(layout: Layout, version: number): string[] {
  const { baseline, steps } = layout
  const then = { baseline, steps: steps.slice(0, version - baseline.version) }
  return withConnection(':memory:', { readOnly: false, cacheMib: 1 }, (model) => {
    for (const step of stepsFrom(then, 0)) model.exec(step)
    return listParts(model)
  })
}

function listParts(connection: Connection): string[] {
  return connection
    .statement<[string]>(
      "SELECT 'column ' || t.name || '.' || c.name || ' ' || c.type FROM sqlite_schema t, pragma_table_xinfo(t.name) c " +
        "WHERE t.type = 'table' UNION ALL SELECT 'index ' || name FROM sqlite_schema WHERE type = 'index'",
    )
    .all()
    .map(([part]) => part)
}
