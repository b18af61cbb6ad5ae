import type { Dialect } from '../port/dialect.ts'
import type { SqlRow } from '../port/reads.ts'
import { attestationJson, hexDigits } from './attestationJson.ts'
import { decodeText } from './textColumn.ts'
import { matchText } from './textMatch.ts'

/** A function of every connection, see connection.ts. */
export const refuseFunction = 'attestry_refuse'

export const sqliteDialect: Dialect = {
  walked: (table, alias, index) => `${table} ${alias} INDEXED BY ${index}`,
  received: (by) => `received_by_${by}`,
  hidden: (column) => `+${column}`,
  isNull: (column, value) => `${column} IS ${value ? '' : 'NOT '}NULL`,
  chainOfKey: (column) => column,
  bound: '+?',
  drivenJoin: 'CROSS JOIN',
  // The only words by which SQLite recognises an index that is declared `WHERE registered = 1`.
  flag: (column, value) => `${column} = ${value ? 1 : 0}`,
  among: (column, select) => `${column} IN (${select})`,
  oneOf: (column, numbers) => ({
    sql: `${column} IN (SELECT value FROM json_each(?))`,
    parameters: [JSON.stringify(numbers)],
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
  hex: hexDigits,
  attestationJson,
  joinsSchemas: false,
  decodeText,
  readsRowsInWalk: true,
  // Merges selects that are in order already without sorting or storing their rows.
  merged: (selects, order, limit, skip) => ({
    sql: `${selects.map(({ sql }) => sql).join(' UNION ALL ')} ORDER BY ${order} LIMIT +? OFFSET +?`,
    parameters: [...selects.flatMap(({ parameters }) => parameters), limit, skip],
  }),
  // One statement a key: a third faster than one statement that is given all keys as JSON.
  findByKeys: async <Row extends SqlRow>(...[reads, keys, select]: Parameters<Dialect['findByKeys']>) => {
    const names = Object.keys(keys)
    const columns = Object.values(keys).map(({ values }) => values)
    const sql = select.replaceAll(/\bk\.([a-z_]+)/g, (_, name: string) => `?${names.indexOf(name) + 1}`)
    const first = `${sql} LIMIT 1`
    const rows: (Row | undefined)[] = []
    for (let index = 0; index < (columns[0]?.length ?? 0); index++) {
      rows.push(await reads.get<Row>(first, ...columns.map((values) => values[index] ?? null)))
    }
    return rows
  },
  matchText,
}
