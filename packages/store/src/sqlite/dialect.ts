import type { Dialect } from '../port/dialect.ts'
import { newestPortalBody } from '../port/newestPortalBody.ts'
import { decodeText } from './textColumn.ts'
import { idsWithText, matchText } from './textMatch.ts'

/** A function of every connection, see connection.ts. */
export const refuseFunction = 'attestry_refuse'

const hex = (column: string) => `lower(hex(${column}))`

export const sqliteDialect: Dialect = {
  walked: (table, alias, index) => `${table} ${alias} INDEXED BY ${index}`,
  received: (by) => `received_by_${by}`,
  receivedParts: (by, alias) =>
    by === 'chain'
      ? `${alias}.chain_id, (SELECT a.schema_id FROM attestation a WHERE a.id = ${alias}.id)`
      : `(SELECT c.chain_id FROM chain c WHERE c.ordinal = ${alias}.id >> 53), ${alias}.schema_id`,
  hidden: (column) => `+${column}`,
  isNull: (column, value) => `${column} IS ${value ? '' : 'NOT '}NULL`,
  chainOfKey: (column) => column,
  bound: '+?',
  drivenJoin: 'CROSS JOIN',
  lookUp: '',
  // The only words by which SQLite recognises an index that is declared `WHERE registered = 1`.
  flag: (column, value) => `${column} = ${value ? 1 : 0}`,
  among: (column, select) => `${column} IN (${select})`,
  oneOf: (column, numbers) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    parameters: [`[${numbers.join(',')}]`],
  }),
  contains: (text, part) => `instr(${text}, ${part}) > 0`,
  hasOtherRecipients: (alias) =>
    `length(${alias}.recipients_json) <> CASE WHEN ${alias}.recipient_ids IS NULL THEN 2 ELSE ` +
    `46 + 45 * (length(${alias}.recipient_ids) - length(replace(${alias}.recipient_ids, ',', ''))) END`,
  eachId: (column, alias) => `json_each('[' || ${column} || ']') AS ${alias}`,
  refuse: (condition) => `${refuseFunction}(${condition})`,
  // Digits beyond 2^63 become 2^63 - 1, which is beyond every moment that is asked about.
  uint64: (column) => `CAST(${column} AS INTEGER)`,
  nowMs: "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  hex,
  portalBody: (alias) => newestPortalBody({ hex }, alias),
  joinsSchemas: false,
  decodeText,
  readsRowsInWalk: true,
  // Merges selects that are in order already without sorting or storing their rows.
  merged: (selects, order, limit, skip) => ({
    sql: `${selects.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${order} LIMIT +? OFFSET +?`,
    parameters: [...selects.flatMap(({ parameters }) => parameters), limit, skip],
  }),
  matchText,
  idsWithText,
}
