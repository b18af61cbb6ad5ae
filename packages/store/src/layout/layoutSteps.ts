import { StoreIncompatibleError } from '@attestry/core/errors/storeErrors.ts'
import type { Projection } from '../port/projection.ts'

/**
 * The way a database gets its tables: a baseline for an empty database, and numbered steps from one layout to the next.
 * A released step is never edited: a change of layout is a new step. A step whose data is not in the database ends with
 * `UPDATE chain SET rewind_to = -1`: the indexer then says so and indexes again.
 */
export interface Layout {
  /** The oldest layout that can be brought up to date, and the statements that make it. */
  readonly baseline: { readonly version: number; readonly sql: string }
  /** The first step leads from the baseline to layout `baseline.version + 1`, and so on. */
  readonly steps: readonly string[]
}

export interface MigrateOptions {
  /**
   * Only for a database that is made now: the size above which a list gets a rank tree. Tests choose it small to
   * exercise the trees with few records.
   */
  readonly rankThreshold?: number
  /** Another layout than that of this version, which tests of upgrades make. */
  readonly layout?: Layout
  /** The projections whose tables stand beside those of the layout. */
  readonly projections?: readonly Projection[] | undefined
}

/** The layout that this version of the program reads and writes. */
export function newestLayout({ baseline, steps }: Layout): number {
  return baseline.version + steps.length
}

/** The statements that bring a database of layout `version` up to date; 0 stands for an empty database. */
export function stepsFrom({ baseline, steps }: Layout, version: number): readonly string[] {
  return version === 0 ? [baseline.sql, ...steps] : steps.slice(version - baseline.version)
}

/**
 * Makes sure that a database of layout `version` can be brought up to date, or is.
 * @throws StoreIncompatibleError when a newer version made it, or one that is too old.
 */
export function assertUpgradable(layout: Layout, version: number, database: string): void {
  const { baseline } = layout
  if (version > newestLayout(layout)) {
    throw new StoreIncompatibleError(`the database ${database} was made by a newer version of this program`, {
      facts: { database, version },
    })
  }
  if (version > 0 && version < baseline.version) {
    throw new StoreIncompatibleError(
      `the database ${database} has layout ${version}, and this version upgrades layout ${baseline.version} and newer: ` +
        'index into a new database, or export this one with the version that made it and import the export',
      { facts: { database, version } },
    )
  }
}

/**
 * Makes sure that a database has the layout of this version.
 * @throws StoreIncompatibleError when it has another one, or none.
 */
export function assertCurrent(layout: Layout, version: number, database: string): void {
  assertUpgradable(layout, version, database)
  if (version === newestLayout(layout)) return
  throw new StoreIncompatibleError(
    `the database ${database} has ${version === 0 ? 'no' : 'an older'} layout: start the indexer once to bring it up to date`,
    { facts: { database, version } },
  )
}

/**
 * Makes sure that a database has the tables and indexes of the projections of this program.
 * @throws StoreIncompatibleError if it lacks one.
 */
export function assertJoined(lacksPart: boolean, database: string): void {
  if (!lacksPart) return
  throw new StoreIncompatibleError(
    `the database ${database} was made without some capabilities of this program: start the indexer once to add them`,
    { facts: { database } },
  )
}

/**
 * Makes sure that the index's state has exactly one row, and that the row is intact. `guards` holds the value of its
 * guard column in every row of `index_state`; the constraint of the column allows only `true` (in SQLite 1).
 * @throws StoreIncompatibleError that says what mends the row.
 */
export function assertState(guards: readonly (number | boolean)[], database: string): void {
  const [guard] = guards
  if (guards.length === 1 && (guard === 1 || guard === true)) return
  throw new StoreIncompatibleError(
    `the database ${database} has ${guards.length === 0 ? 'lost' : 'a damaged copy of'} the row of its state: ` +
      'stop the indexer and run `attestry verify --repair`',
    { facts: { database } },
  )
}
