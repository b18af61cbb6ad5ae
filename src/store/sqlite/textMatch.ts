import type { SQLInputValue } from 'node:sqlite'
import type { ReadSession } from './readSession.ts'

/** Some of the schemas that a keyword finds. */
export interface SchemaMatch {
  /** What brings them, the table `schema` among it. */
  readonly from: string
  /** How good each of them is, lower is better. */
  readonly rank: string
  /** Which of the registered ones. */
  readonly condition: string
  /** Those of the rank, then those of the condition. */
  readonly parameters: readonly SQLInputValue[]
}

/** Ranks from here on are those of texts. */
export const textRank = 2

/** Terms of fewer characters have no trigram; for them every schema is looked at. */
const trigramLength = 3

/** How many of a term's trigrams are looked up, the rarest; each costs as much as it has entries. */
const lookedUp = 3
/** Beyond this share of all schemas, to look at each of them costs less than the index does. */
const frequentShare = 1 / 4

/**
 * Schemas whose name or description contains the folded text. `instr` decides; the trigram index narrows them down. It is asked for
 * the rarest trigrams of the term alone: a phrase of all would cost as much as the most frequent of them has entries.
 */
export function textMatch(session: ReadSession, folded: string): SchemaMatch {
  const text = folded.toWellFormed()
  const rank =
    `CASE instr(name_folded, ?) WHEN 0 THEN ${textRank + 3} WHEN 1 THEN iif(name_folded = ?, ${textRank}, ${textRank + 1}) ` +
    `ELSE ${textRank + 2} END`
  const contains = '(instr(name_folded, ?) > 0 OR instr(description_folded, ?) > 0)'
  const query = indexQuery(session, text)
  if (query === null) {
    return { from: 'schema', rank, condition: contains, parameters: [text, text, text, text] }
  }
  return {
    from: 'schema_text x CROSS JOIN schema ON schema.id = x.rowid',
    rank,
    condition: `x.schema_text MATCH ? AND ${contains}`,
    parameters: [text, text, query, text, text],
  }
}

/** What to ask the trigram index for; null where it is of no help. */
function indexQuery(session: ReadSession, text: string): string | null {
  // The index holds a space in the place of a NUL.
  const byCount = trigramsOf(text.replaceAll('\0', ' '))
    .map((trigram) => ({ trigram, count: countTrigram(session, trigram) }))
    .sort((a, b) => a.count - b.count)
  const [rarest] = byCount
  if (rarest === undefined || rarest.count > session.snapshot.schemaCount * frequentShare) return null
  return byCount
    .slice(0, lookedUp)
    .map(({ trigram }) => phrase(trigram))
    .join(' AND ')
}

/** Trigrams of a long term beyond these hardly tell more. */
const trigramsMax = 32

/** The distinct trigrams of a term, by characters as SQLite counts them. */
function trigramsOf(text: string): string[] {
  const characters = [...text]
  const trigrams = new Set<string>()
  for (let end = trigramLength; end <= characters.length && trigrams.size < trigramsMax; end++) {
    trigrams.add(characters.slice(end - trigramLength, end).join(''))
  }
  return [...trigrams]
}

/**
 * In how many schemas a trigram stands, or stood when it was asked for first since the index was half or twice as large: it only
 * chooses the way to an answer.
 */
function countTrigram({ connection, snapshot, trigrams }: ReadSession, trigram: string): number {
  const { schemaCount } = snapshot
  if (schemaCount > trigrams.schemaCount * 2 || schemaCount * 2 < trigrams.schemaCount) {
    trigrams.counts.clear()
    trigrams.schemaCount = schemaCount
  }
  const known = trigrams.counts.get(trigram)
  if (known !== undefined) return known
  const count =
    connection
      .statement<[number]>('SELECT count(*) FROM schema_text WHERE schema_text MATCH ?')
      .get(phrase(trigram))?.[0] ?? 0
  trigrams.counts.set(trigram, count)
  return count
}

/** A phrase in quotes, with quotes doubled, is the one form that FTS5 does not read as an expression. */
function phrase(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
