import type { TextMatch } from '../port/dialect.ts'

/**
 * Matches schemas by `LIKE`, which means the same with and without a trigram index (`pg_trgm`). The index helps with
 * terms of three letters or digits in a row; PostgreSQL decides.
 */
export function matchText(folded: string): TextMatch {
  const text = folded.toWellFormed().replaceAll('\0', nulInText)
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return {
    name: 't.name',
    placeInName: 'strpos(t.name, ?)',
    text,
    from: 'schema_text t JOIN schema e ON e.id = t.schema_id',
    condition: '(t.name LIKE ? OR t.description LIKE ?)',
    parameters: [pattern, pattern],
  }
}

/** Stands in the place of a NUL where texts are searched; see `searchText` of the writer. */
const nulInText = '\uffff'
