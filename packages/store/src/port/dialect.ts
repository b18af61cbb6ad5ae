import type { SqlInput, SqlText, SqlValue, Statements } from './statements.ts'

/**
 * The differences between the SQL of the databases, as named capabilities. Statements are composed in `reading/`,
 * `writing/` and `auditing/`; the members here return the parts of them that are not the same text in both.
 */
export interface Dialect {
  /** A table to be walked by one index: `attestation a INDEXED BY attestation_by_time`, or `attestation a`. */
  walked(table: string, alias: string, index: string): string
  /** The postings of addresses that received attestations, in the order of their chains or of their schemas. */
  received(by: 'chain' | 'schema'): string
  /** The columns of the chain and of the schema of such a posting. */
  receivedParts(by: 'chain' | 'schema', alias: string): string
  /** The column as an expression, so that the planner cannot use an index that begins with it. */
  hidden(column: string, type: 'integer' | 'text' | 'bytes'): string
  /** Whether a text column, which is never empty, is NULL; hidden from the planner like `hidden` columns. */
  isNull(column: string, value: boolean): string
  /**
   * The chain of a key beside its local id, of which the index by ids is to be used and no index that begins with
   * chains.
   */
  chainOfKey(column: string): string
  /**
   * The placeholder of a bound of rows: `LIMIT ${bound} OFFSET ${bound}`. SQLite plans anew for each value of a bare
   * `?`.
   */
  readonly bound: '+?' | '?'
  /** The join whose right side is looked up for each row of its left side, in that order. */
  readonly drivenJoin: 'CROSS JOIN' | 'JOIN'
  /**
   * Ends the subselect of an `EXISTS` that looks each row up by a whole key. PostgreSQL makes a join of such a
   * subselect, and if statistics mislead, it reads a list of thousands anew for each row.
   */
  readonly lookUp: '' | ' OFFSET 0'
  /** Whether a boolean column is true or false, in the words that partial indexes are declared with. */
  flag(column: string, value: boolean): string
  /** Whether a column is one of the values of a subselect, by one range of an index for each of them. */
  among(column: string, select: string): string
  /** Whether a column is one of the numbers, by one range of an index for each of them. */
  oneOf(column: string, numbers: readonly (number | bigint)[]): SqlText
  /** Whether a text contains another one, which may be a parameter. */
  contains(text: string, part: string): string
  /**
   * Whether an attestation has other recipients than distinct addresses, in the words of the partial index
   * `attestation_other_recipients`. `recipients_json` is longer then than the JSON of as many addresses as
   * `recipient_ids` has.
   */
  hasOtherRecipients(alias: string): string
  /** The ids of an `int53List` column as a table with the column `value`. */
  eachId(column: string, alias: string): string
  /** False; the statement fails with a `TooManyLooksError` if the condition holds. */
  refuse(condition: string): string
  /** A column of decimal digits up to 2^64 - 1 as a number to be compared. */
  uint64(column: string): string
  /** The clock of the database, in milliseconds. */
  readonly nowMs: string
  /** A column of bytes as lower-case hexadecimal digits. */
  hex(column: string): string
  /** The body of the newest metadata of an attestation's portal. It costs nothing if the attestation has no portal. */
  portalBody(alias: string): string
  /**
   * Whether the statement that reads attestations joins their schemas: a round trip to a server costs more than the
   * join. Otherwise schemas are remembered by their row ids (`StatementSession.schemas`).
   */
  readonly joinsSchemas: boolean
  /** A text of a chain, as its column holds it: see `textColumn.ts` of each database. */
  decodeText(value: SqlValue): string
  /**
   * Whether a page of one walk is read together with its rows: `OFFSET` then passes over the entries of an index
   * without reading their rows. Otherwise the page is cut out of the index first and joined with its rows.
   */
  readonly readsRowsInWalk: boolean
  /**
   * Rows `skip` to `skip + limit` of several selects, merged. `order` names columns by their number: `1 DESC, 2 DESC`.
   */
  merged(selects: readonly OrderedSelect[], order: string, limit: number, skip: number): SqlText
  /** Matches schemas by a folded text, in the way that costs least where so many schemas are registered. */
  matchText(reads: Statements, folded: string, schemaCount: number): Promise<TextMatch>
  /**
   * Selects the ids of the texts of a searched table (`Projection.searched`) that may contain a text; null if its index
   * does not help.
   */
  idsWithText(searched: SearchedTable, folded: string): SqlText | null
}

/** A table of texts with an index of trigrams. */
export type SearchedTable = Readonly<Record<'table' | 'text', string>> & {
  readonly columns: readonly string[]
}

/** The registered schemas whose folded name or description contains a text. */
export interface TextMatch {
  /** The tables after `FROM`, `schema e` among them. */
  readonly from: string
  readonly condition: string
  /** The parameters of the condition. */
  readonly parameters: readonly SqlInput[]
  /** The text as names hold it. */
  readonly text: string
  /** The folded name. */
  readonly name: string
  /**
   * The place of the text in the folded name, from 1; 0 if the name does not contain it. The text is the one
   * parameter.
   */
  readonly placeInName: string
}

/** A select whose rows an index has in `order`; both end where the other may follow. */
export interface OrderedSelect extends SqlText {
  readonly order: string
}

/** Composes a part of statements once for each dialect. */
export function perDialect<Part>(compose: (dialect: Dialect) => Part): (dialect: Dialect) => Part {
  const composed = new Map<Dialect, Part>()
  return (dialect) => {
    const known = composed.get(dialect)
    if (known !== undefined) return known
    const part = compose(dialect)
    composed.set(dialect, part)
    return part
  }
}
