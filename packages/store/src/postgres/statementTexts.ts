import { hash } from 'node:crypto'

/**
 * The texts of statements in the form of PostgreSQL, with the names that they are prepared under on every connection.
 */
export interface StatementTexts {
  /** The statement with `$1`, `$2` … for each `?`, and its name; null if too many texts are prepared already. */
  prepare(sql: string): { readonly name: string | null; readonly text: string }
  /** Only the text. */
  number(sql: string): { readonly text: string }
  /** A name that no open cursor has. */
  nextCursor(): string
}

/** Statements kept prepared. Texts that depend on the number of chains are few, but a bound costs nothing. */
const statementsMax = 1_000

/** `named` false: no statement gets a name, for a pooler that would look for it in another session. */
export function createStatementTexts({ named = true } = {}): StatementTexts {
  const known = new Map<string, { readonly name: string | null; readonly text: string }>()
  let cursors = 0
  return {
    prepare: (sql) => {
      const found = known.get(sql)
      if (found !== undefined) return found
      const text = numberParameters(sql)
      // Named by its text: behind a pooler a session may hold the statement of another process under the same name.
      const name =
        named && known.size < statementsMax ? `attestry_${hash('sha256', text).slice(0, 24)}` : null
      const made = { name, text }
      if (name !== null) known.set(sql, made)
      return made
    },
    number: (sql) => ({ text: numberParameters(sql) }),
    nextCursor: () => `attestry_cursor_${cursors++}`,
  }
}

/** No literal or operator of this store's statements holds a question mark. */
function numberParameters(sql: string): string {
  let count = 0
  return sql.replaceAll('?', () => `$${++count}`)
}
