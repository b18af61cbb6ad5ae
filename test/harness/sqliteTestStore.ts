import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Projection } from '@attestry/store/port/projection.ts'
import { migrateSqlite } from '@attestry/store/sqlite/migrateSqlite.ts'

/** An empty index in a folder of its own. */
export interface SqliteTestStore {
  readonly folder: string
  readonly path: string
  remove(): Promise<void>
}

/** Settings of an empty index. */
export interface EmptyIndexOptions {
  readonly rankThreshold: number
  readonly projections?: readonly Projection[]
}

/**
 * Empty indexes by their options. Property tests open hundreds of stores: copying a file is 40 times as fast as
 * migrating one.
 */
const templates = new Map<string, Buffer>()

export function createSqliteTestStore(options: EmptyIndexOptions): SqliteTestStore {
  const folder = mkdtempSync(join(tmpdir(), 'attestry-store-'))
  const path = join(folder, 'index.db')
  writeEmptyIndex(path, options)
  return {
    folder,
    path,
    remove: () => Promise.resolve(rmSync(folder, { recursive: true, force: true })),
  }
}

/** Writes the file of an empty index, as `migrateSqlite` makes it. */
export function writeEmptyIndex(path: string, options: EmptyIndexOptions): void {
  const kind = kindOf(options)
  const template = templates.get(kind)
  if (template !== undefined) {
    writeFileSync(path, template)
    return
  }
  migrateSqlite(path, options)
  templates.set(kind, readFileSync(path))
}

/** The options as a key. */
export function kindOf({ rankThreshold, projections = [] }: EmptyIndexOptions): string {
  return [rankThreshold, ...projections.map(({ name }) => name)].join(' ')
}
