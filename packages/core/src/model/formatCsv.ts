/**
 * A line of CSV (RFC 4180): cells with commas, quotes or line ends are quoted, lines end with CRLF. A cell that a
 * spreadsheet would take for a formula gets an apostrophe in front: the texts of attestations are written by strangers.
 * So does the text after a semicolon, tab or line end within a cell. If semicolons separate cells, as in German or
 * French, quotes in the middle of a cell quote nothing, and the rest is a cell of its own. LibreOffice also splits at
 * tabs.
 */

/** A line of CSV with its line break. Numbers and booleans are as they are, lists and objects are JSON, null is empty. */
export function formatCsvLine(values: readonly unknown[]): string {
  return `${values.map(formatCell).join(',')}\r\n`
}

/** The characters that begin a formula; spreadsheets of East Asia know the wide ones too. */
const formulaStart = /(?<=^|[;\t\r\n])(?=[ "]*[=+\-@\t\r＝＋－＠])/g

function formatCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = text.replaceAll(formulaStart, "'")
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
