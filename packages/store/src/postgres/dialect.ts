import type { Dialect, TextMatch } from '../port/dialect.ts'
import { decodeText } from './textColumn.ts'

export const postgresDialect: Dialect = {
  walked: (table, alias) => `${table} ${alias}`,
  received: () => 'received',
  receivedParts: (_, alias) => `${alias}.chain_id, ${alias}.schema_id`,
  hidden: (column, type) => `${column} ${hiding[type]}`,
  isNull: (column, value) => `coalesce(${column}, '') ${value ? '=' : '<>'} ''`,
  chainOfKey: (column) => `${column} + 0`,
  bound: '?',
  drivenJoin: 'JOIN',
  lookUp: ' OFFSET 0',
  flag: (column, value) => (value ? column : `NOT ${column}`),
  among: (column, select) => `${column} = ANY(ARRAY(${select}))`,
  oneOf: (column, numbers) => ({
    sql: `${column} = ANY(?::bigint[])`,
    parameters: [`{${numbers.join(',')}}`],
  }),
  contains: (text, part) => `strpos(${text}, ${part}) > 0`,
  // An equality, not `<>` or `>`: the planner expects one row in 200 to fulfil an equality, nearly all to fulfil `<>`
  // and a third `>`. With those it might read the table from end to end instead of the index.
  hasOtherRecipients: (alias) =>
    `least(length(${alias}.recipients_json) - CASE cardinality(${alias}.recipient_ids) WHEN 0 THEN 2 ` +
    `ELSE 1 + 45 * cardinality(${alias}.recipient_ids) END, 1) = 1`,
  eachId: (column, alias) => `unnest(${column}) AS ${alias} (value)`,
  // A division that the planner cannot do ahead; translatePostgresError.ts knows its error.
  refuse: (condition) => `1 / (CASE WHEN ${condition} THEN 0 ELSE 1 END) = 0`,
  uint64: (column) => `${column}::numeric`,
  nowMs: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)',
  hex: (column) => `encode(${column}, 'hex')`,
  portalBody: (alias) => `portal_body(${alias}.chain_id, ${alias}.protocol, ${alias}.portal)`,
  joinsSchemas: true,
  decodeText: (value) => decodeText(typeof value === 'string' ? value : null),
  readsRowsInWalk: false,
  // Each select ends at the last row that may be needed of it: what is merged is bounded, whatever the planner makes of
  // it.
  merged: (selects, order, limit, skip) => {
    const [only] = selects
    if (selects.length === 1 && only !== undefined) {
      return {
        sql: `${only.sql} ORDER BY ${only.order} LIMIT ? OFFSET ?`,
        parameters: [...only.parameters, limit, skip],
      }
    }
    const arms = selects.map((select) => `(${select.sql} ORDER BY ${select.order} LIMIT ?)`)
    return {
      sql: `${arms.join(' UNION ALL ')} ORDER BY ${order} LIMIT ? OFFSET ?`,
      parameters: [...selects.flatMap(({ parameters }) => [...parameters, limit + skip]), limit, skip],
    }
  },
  matchText: (_, folded) => Promise.resolve(matchText(folded)),
  idsWithText: ({ table, columns: [id = ''], text }, folded) => ({
    sql: `SELECT ${id} FROM ${table} WHERE ${text} LIKE ?`,
    parameters: [containing(folded.toWellFormed())],
  }),
}

/** Suffixes that turn a column into an expression of the same value that no index covers. */
const hiding = { integer: '+ 0', text: "|| ''", bytes: "|| ''::bytea" } as const

/**
 * Matches schemas by `LIKE`, which means the same with and without a trigram index (`pg_trgm`). The index helps with
 * terms of three letters or digits in a row; PostgreSQL decides.
 */
function matchText(folded: string): TextMatch {
  const text = folded.toWellFormed().replaceAll('\0', nulInText)
  const pattern = containing(text)
  return {
    name: 't.name',
    placeInName: 'strpos(t.name, ?)',
    text,
    from: 'schema_text t JOIN schema e ON e.id = t.schema_id',
    condition: '(t.name LIKE ? OR t.description LIKE ?)',
    parameters: [pattern, pattern],
  }
}

/** The pattern of texts that contain one. */
function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/** Stands in the place of a NUL where texts are searched; see `encode` of the tables. */
const nulInText = '\uffff'
