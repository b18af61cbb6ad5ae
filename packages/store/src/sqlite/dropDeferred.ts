import { deferredIndexes } from '../layout/deferredIndexes.ts'
import type { Connection } from './connection.ts'

/** Drops the indexes that are made once all rows are there; returns the statements that make them, by name. */
export function dropDeferred(connection: Connection): ReadonlyMap<string, string> {
  const find = connection.statement<[string]>('SELECT sql FROM sqlite_master WHERE name = ?')
  return new Map(
    deferredIndexes.map((name) => {
      const [sql] = find.get(name) ?? []
      if (sql === undefined) throw new Error(`the layout has no index ${name}`)
      connection.exec(`DROP INDEX ${name}`)
      return [name, sql]
    }),
  )
}
