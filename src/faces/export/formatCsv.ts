/**
 * A line of CSV (RFC 4180): cells with commas, quotes or line ends are quoted, lines end with CRLF. A cell that a
 * spreadsheet would take for a formula gets an apostrophe in front: the texts of attestations are written by strangers.
 */

/** A line of CSV with its line break. Numbers and booleans are as they are, lists and objects are JSON, null is empty. */
export function formatCsvLine(values: readonly unknown[]): string {
  return `${values.map(formatCell).join(',')}\r\n`
}

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
