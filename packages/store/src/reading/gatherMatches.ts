import type { Reads, SqlText } from '../port/reads.ts'
import { allOf, noTerm, term } from './sqlTerms.ts'
import type { Pace } from './tallyRows.ts'

/** A range of a table whose rows have ids of attestations. */
export interface MatchRange {
  readonly table: 'attestation' | 'value_posting'
  readonly condition: SqlText
  /** The walk of the rows in steps; null: they are few. */
  readonly walk: MatchWalk | null
  /** Lower is better. */
  readonly rank: number
}

/** A range of an index. Each side has one bound at a time: SQLite then has no choice which one to walk by. */
interface MatchWalk {
  /** The condition that all rows of the range fulfil; empty for no condition. */
  readonly fixed: SqlText
  /** The columns that follow it in the index, by which no two rows are equal. */
  readonly order: readonly string[]
  /** The place after which the range begins, and the bound at its end; null and empty for no bound. */
  readonly after: Place | null
  readonly end: SqlText
}

/** The values of the columns of an order; ids have more bits than numbers, and are texts. */
type Place = readonly (string | number)[]

/** The table of what was gathered, in the connection's own temporary database. */
const found = 'temp.keyword_match'

/**
 * Gathers the attestations of ranges, each with its best rank, step by step, on a connection that no other read uses.
 * Works only over SQLite. Better ranges come first.
 * @param schemaId the schema that they must be under; null: any.
 */
export async function gatherMatches(
  reads: Reads,
  ranges: readonly MatchRange[],
  schemaId: number | null,
  order: 'newestFirst' | 'bestFirst',
  pace: Pace,
): Promise<void> {
  // The connection reads the index only, whatever it may write elsewhere.
  await reads.all('PRAGMA query_only = OFF')
  await reads.all(
    `CREATE TEMP TABLE keyword_match (id INTEGER PRIMARY KEY, rank INTEGER, t INTEGER, c INTEGER)`,
  )
  const rank = order === 'bestFirst' ? 'rank, ' : ''
  await reads.all(`CREATE INDEX ${found}_order ON keyword_match (${rank}t DESC, c DESC, id DESC)`)
  for (const range of ranges) await gatherRange(reads, range, schemaId, pace)
}

async function gatherRange(
  reads: Reads,
  { table, condition, walk, rank }: MatchRange,
  schemaId: number | null,
  pace: Pace,
): Promise<void> {
  let after = walk?.after ?? null
  for (;;) {
    const step = await pace.next()
    const upTo = walk === null ? null : await findEnd(reads, table, walk, after, step)
    const part = walk === null ? condition : boundsOf(walk, after, upTo)
    await reads.all(
      `INSERT INTO ${found} SELECT a.id, ?, a.attest_timestamp, a.chain_id ` +
        `FROM (SELECT id FROM ${table} WHERE ${part.sql}) AS m ` +
        `CROSS JOIN attestation a ON a.id = m.id WHERE ${schemaId === null ? 'true' : 'a.schema_id = ?'} ` +
        'ON CONFLICT DO NOTHING',
      rank,
      ...part.parameters,
      ...(schemaId === null ? [] : [schemaId]),
    )
    if (upTo === null) return
    after = upTo
  }
}

/** The place of the `count`-th row of the range; null if there are fewer. */
async function findEnd(
  reads: Reads,
  table: string,
  walk: MatchWalk,
  after: Place | null,
  count: number,
): Promise<Place | null> {
  const { sql, parameters } = boundsOf(walk, after, null)
  const columns = walk.order.map((column) => (column === 'id' ? 'CAST(id AS TEXT)' : column))
  const row = await reads.get<(string | number)[]>(
    `SELECT ${columns.join(', ')} FROM ${table} WHERE ${sql} ORDER BY ${walk.order.join(', ')} LIMIT 1 OFFSET +?`,
    ...parameters,
    count - 1,
  )
  return row ?? null
}

function boundsOf({ fixed, order, end }: MatchWalk, after: Place | null, upTo: Place | null): SqlText {
  const places = order.map((column) => (column === 'id' ? 'CAST(? AS INTEGER)' : '?'))
  const bound = (operator: string, place: Place | null) =>
    place === null ? noTerm : term(`(${order.join(', ')}) ${operator} (${places.join(', ')})`, ...place)
  return allOf([fixed, bound('>', after), upTo === null ? end : bound('<=', upTo)])
}

/** How many attestations were gathered. */
export async function countGathered(reads: Reads): Promise<number> {
  const row = await reads.get<[number]>(`SELECT count(*) FROM ${found}`)
  return row?.[0] ?? 0
}

/** A select of the ids, ranks and times of a page of them; takes the page's size and offset. */
export function gatheredPage(order: 'newestFirst' | 'bestFirst'): string {
  const rank = order === 'bestFirst' ? 'rank, ' : ''
  return `SELECT id, rank FROM ${found} ORDER BY ${rank}t DESC, c DESC, id DESC LIMIT +? OFFSET +?`
}
