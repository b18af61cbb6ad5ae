import type { Projection } from '../port/projection.ts'
import { createTable } from './baselineStatements.ts'
import type { LayoutWords } from './layoutWords.ts'
import { viewSelects, type ViewWords } from './sqlViews.ts'
import type { OwnTable } from './tables.ts'

/**
 * The statements that make the tables of projections, with their indexes, where they are missing. The tables are no part
 * of the layout, which has no number for them.
 */
export function projectionStatements(projections: readonly Projection[], words: LayoutWords): string {
  return projections
    .map(
      (projection) =>
        projection.tables.map((table) => createTable('CREATE TABLE IF NOT EXISTS', table, words)).join('') +
        projection.indexStatements(words),
    )
    .join('')
}

/** The tables of projections by their names, as `storedTables` has those of the index. */
export function projectedTables(projections: readonly Projection[]): Readonly<Record<string, OwnTable>> {
  return Object.fromEntries(projections.flatMap(({ tables }) => tables.map((table) => [table.name, table])))
}

/**
 * The statement that lets indexers read every chain again: the tables of a projection that joins an index begin empty.
 */
export const indexAgain = 'UPDATE chain SET rewind_to = -1 WHERE checkpoint_block IS NOT NULL;'

/** The selects of all views, those of projections included, by name. */
export function allViewSelects(
  words: ViewWords,
  projections: readonly Projection[],
): readonly (readonly [name: string, select: string])[] {
  return [viewSelects(words), ...projections.map((projection) => projection.viewSelects(words))].flatMap(
    (selects) => Object.entries(selects),
  )
}
