import type { SearchedTable } from '../port/dialect.ts'

/**
 * The words in which the databases differ in statements that are otherwise the same. A released step is never edited,
 * nor is a word in it.
 */
export interface LayoutWords {
  /** The types of columns, by those of the catalogue (tables.ts). */
  readonly int32: string
  readonly int53: string
  readonly boolean: string
  readonly bytes: string
  readonly text: string
  readonly chainText: string
  /** Text that rows are ordered or looked up by: compared byte by byte. */
  readonly key: string
  /**
   * The end of a table whose primary key is one integer, and of any other one. `fill`: the percentage to which pages
   * are filled by inserts, where rows are updated later.
   */
  byId(fill?: number): string
  byKey(fill?: number): string
  /** The row id as the last column of an index that ends with it in any case, or is to. */
  readonly id: string
  /** The condition that a schema is registered, as partial indexes have it. */
  readonly registered: string
  /** The condition that a boolean column is true, likewise. */
  isTrue(column: string): string
  readonly nowMs: string
  /**
   * The columns of a schema after its texts, and those at the end of the table with the constraints; each begins with a
   * comma.
   */
  readonly foldedTexts: string
  readonly schemaEnd: string
  /**
   * The statements that make the index of trigrams of a searched table if it is missing; empty if the index depends on
   * the server.
   */
  textIndex(searched: SearchedTable): string
  /** The condition of `Dialect.hasOtherRecipients`. */
  readonly hasOtherRecipients: string
}
