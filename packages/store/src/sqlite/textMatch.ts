import { createRecentMap, type RecentMap } from '@attestry/core/model/recentMap.ts'
import type { SearchedTable, TextMatch } from '../port/dialect.ts'
import type { SqlText, Statements } from '../port/statements.ts'

/** Terms of fewer characters have no trigram: every schema is compared with them. */
const trigramLength = 3

/** How many of a term's trigrams are looked up, the rarest; each costs as much as it has entries. */
const lookedUp = 3
/**
 * If the rarest trigram has more than this share of all schemas, comparing each of them costs less than the index does.
 */
const frequentShare = 1 / 4

/**
 * Matches schemas by `instr`; the FTS5 trigram index `schema_text` narrows them down. Only the rarest trigrams of the
 * term are looked up: a phrase of all would cost as much as the most frequent of them has entries.
 */
export async function matchText(reads: Statements, folded: string, schemaCount: number): Promise<TextMatch> {
  const text = folded.toWellFormed()
  const query = await indexQuery(reads, text, schemaCount)
  const contains = '(instr(e.name_folded, ?) > 0 OR instr(e.description_folded, ?) > 0)'
  const name = { name: 'e.name_folded', placeInName: 'instr(e.name_folded, ?)', text }
  return query === null
    ? { ...name, from: 'schema e', condition: `e.registered = 1 AND ${contains}`, parameters: [text, text] }
    : {
        ...name,
        from: 'schema_text x CROSS JOIN schema e ON e.id = x.rowid',
        condition: `e.registered = 1 AND x.schema_text MATCH ? AND ${contains}`,
        parameters: [query, text, text],
      }
}

/** The full-text index of a searched table. */
export function textIndexOf(table: string): string {
  return `${table}_index`
}

/** As `Dialect.idsWithText`. SQLite looks the trigrams of the text up at their places, all of them. */
export function idsWithText({ table }: SearchedTable, folded: string): SqlText | null {
  const text = folded.toWellFormed()
  if ([...text].length < trigramLength) return null
  const index = textIndexOf(table)
  return { sql: `SELECT rowid FROM ${index} WHERE ${index} MATCH ?`, parameters: [phrase(text)] }
}

/** The query of the trigram index; null if the index is of no help. */
async function indexQuery(reads: Statements, text: string, schemaCount: number): Promise<string | null> {
  const known = countsOf(reads, schemaCount)
  const byCount: { readonly trigram: string; readonly count: number }[] = []
  // The index holds a space in the place of a NUL.
  for (const trigram of trigramsOf(text.replaceAll('\0', ' '))) {
    byCount.push({ trigram, count: known.get(trigram) ?? (await countTrigram(reads, trigram, known)) })
  }
  byCount.sort((a, b) => a.count - b.count)
  const [rarest] = byCount
  if (rarest === undefined || rarest.count > schemaCount * frequentShare) return null
  return byCount
    .slice(0, lookedUp)
    .map(({ trigram }) => phrase(trigram))
    .join(' AND ')
}

/** Trigrams of a long term beyond these hardly narrow further. */
const trigramsOfTermMax = 32

/** The distinct trigrams of a term, by characters as SQLite counts them. */
function trigramsOf(text: string): string[] {
  const characters = [...text]
  const trigrams = new Set<string>()
  for (let end = trigramLength; end <= characters.length && trigrams.size < trigramsOfTermMax; end++) {
    trigrams.add(characters.slice(end - trigramLength, end).join(''))
  }
  return [...trigrams]
}

interface TrigramCounts {
  readonly counts: RecentMap<string, number>
  /** The number of schemas when the counts were begun. */
  schemaCount: number
}

/** Trigrams whose counts are remembered, some 100 bytes each. */
const trigramsMax = 8_192

/**
 * How many schemas hold a trigram, for each connection; kept across versions, since counts only choose the way to an
 * answer.
 */
const countsOfConnection = new WeakMap<Statements, TrigramCounts>()

/** The counts of a connection, begun anew when the index has half or twice as many schemas. */
function countsOf(reads: Statements, schemaCount: number): RecentMap<string, number> {
  const known = countsOfConnection.get(reads)
  if (known !== undefined && schemaCount <= known.schemaCount * 2 && schemaCount * 2 >= known.schemaCount) {
    return known.counts
  }
  const counts = createRecentMap<string, number>(trigramsMax)
  countsOfConnection.set(reads, { counts, schemaCount })
  return counts
}

async function countTrigram(
  reads: Statements,
  trigram: string,
  known: RecentMap<string, number>,
): Promise<number> {
  const row = await reads.get<[number]>(
    'SELECT count(*) FROM schema_text WHERE schema_text MATCH ?',
    phrase(trigram),
  )
  const count = row?.[0] ?? 0
  known.set(trigram, count)
  return count
}

/** A phrase in quotes, with quotes doubled, is the one form that FTS5 does not read as an expression. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
