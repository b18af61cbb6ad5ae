import type { Projection } from '../port/projection.ts'
import { createTable } from './baselineStatements.ts'
import type { LayoutWords } from './layoutWords.ts'
import { viewSelects, type ViewWords } from './sqlViews.ts'
import type { OwnTable } from './tables.ts'

/**
 * The statements that make the tables of projections, with their indexes, if they are missing. The tables are no part
 * of the layout, which has no number for them.
 */
export function projectionStatements(projections: readonly Projection[], words: LayoutWords): string {
  const indexes = projections.flatMap((projection) => [
    ...Object.entries(projection.indexes(words)).map(
      ([name, { on, isUnique = false }]) =>
        `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX IF NOT EXISTS ${name} ON ${on};`,
    ),
    projection.searched === undefined ? '' : words.textIndex(projection.searched),
  ])
  return allTables(projections)
    .map((table) => createTable('CREATE TABLE IF NOT EXISTS', table, words))
    .concat(indexes)
    .join('')
}

/**
 * The statements that make projections whose tables are partly missing in a database. Their chains are read again: no
 * progress is noted of them. Searched tables and counts follow from the others, and are filled from them. Versions
 * before the table of progress kept projections without it.
 * @param isMissing whether the database lacks a table or index.
 */
export function joiningStatements(
  projections: readonly Projection[],
  words: LayoutWords,
  isMissing: (table: string) => boolean,
): string {
  const derivedOf = ({ searched, countTables }: Projection) =>
    searched === undefined ? countTables : [searched, ...countTables]
  const isWhole = (projection: Projection) => {
    const derived = derivedOf(projection).map(({ table }) => table)
    return !projection.tables.some(({ name }) => !derived.includes(name) && isMissing(name))
  }
  const { name: progress } = progressTable
  const noted = projections.map((projection) => {
    if (!isWhole(projection)) return `DELETE FROM ${progress} WHERE projection = '${projection.name}';`
    const filled = derivedOf(projection)
      .filter(({ table }) => isMissing(table))
      .map(({ table, columns, select }) => `INSERT INTO ${table} (${columns.join(', ')}) ${select};`)
      .join('')
    if (!isMissing(progress)) return filled
    return (
      `${filled}INSERT INTO ${progress} (projection, chain_id, block) ` +
      `SELECT '${projection.name}', chain_id, coalesce(checkpoint_block, -1) FROM chain;`
    )
  })
  return projectionStatements(projections, words) + noted.join('')
}

/** The names of the tables and indexes of projections. Indexes of searched texts depend on what a database offers. */
export function projectedNames(projections: readonly Projection[], words: LayoutWords): readonly string[] {
  const indexes = projections.flatMap((projection) => Object.keys(projection.indexes(words)))
  return [...allTables(projections).map(({ name }) => name), ...indexes]
}

/** The blocks that the projections of an index stand at. */
export const progressTable = {
  name: 'projection_chain',
  kind: 'derived',
  key: ['projection', 'chain_id'],
  fill: 50,
  columns: {
    /** `Projection.name` */
    projection: 'key',
    chain_id: 'int53',
    /** The checkpoint of the chain; -1 without one. */
    block: 'int53',
  },
} as const satisfies OwnTable

function allTables(projections: readonly Projection[]): readonly OwnTable[] {
  return projections.length === 0 ? [] : [progressTable, ...projections.flatMap(({ tables }) => tables)]
}

/** The tables of projections by their names, as `storedTables` has those of the index. */
export function projectedTables(projections: readonly Projection[]): Readonly<Record<string, OwnTable>> {
  return Object.fromEntries(allTables(projections).map((table) => [table.name, table]))
}

/** The selects of all views, those of projections included, by name. */
export function allViewSelects(
  words: ViewWords,
  projections: readonly Projection[],
): readonly (readonly [name: string, select: string])[] {
  return [viewSelects(words), ...projections.map((projection) => projection.viewSelects(words))].flatMap(
    (selects) => Object.entries(selects),
  )
}
