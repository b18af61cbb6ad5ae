import type { SqlInput, SqlText } from '../port/reads.ts'

/** A part of a statement with its parameters. */
export function term(sql: string, ...parameters: readonly SqlInput[]): SqlText {
  return { sql, parameters }
}

export const noTerm: SqlText = term('')

/** Joins all terms; empty SQL if there are no terms. */
export function allOf(terms: readonly SqlText[]): SqlText {
  let sql = ''
  const parameters: SqlInput[] = []
  for (const each of terms) {
    if (each.sql === '') continue
    sql = sql === '' ? each.sql : `${sql} AND ${each.sql}`
    parameters.push(...each.parameters)
  }
  return { sql, parameters }
}

/** A placeholder for each value, as `IN` takes them. */
export function placeholders(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}
