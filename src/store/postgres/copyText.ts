/** A value of a row for `COPY`; bytes are written as PostgreSQL's hexadecimal form. */
export type CopyValue = null | number | bigint | string | boolean | Uint8Array | readonly number[]

/** Rows in the text format of `COPY` (https://www.postgresql.org/docs/current/sql-copy.html). */
export function copyText(rows: Iterable<readonly CopyValue[]>): string {
  let text = ''
  for (const row of rows) text += `${row.map(formatValue).join('\t')}\n`
  return text
}

function formatValue(value: CopyValue): string {
  if (typeof value === 'string') return escapeText(value)
  if (value === null) return '\\N'
  if (value instanceof Uint8Array) return `\\\\x${Buffer.from(value).toString('hex')}`
  if (typeof value === 'boolean') return value ? 't' : 'f'
  return typeof value === 'object' ? `{${value.join(',')}}` : String(value)
}

const special = /[\\\t\n\r]/
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }

function escapeText(text: string): string {
  return special.test(text) ? text.replaceAll(/[\\\t\n\r]/g, (each) => escapes[each] ?? each) : text
}
