import type { SqlValue } from '../port/statements.ts'

/**
 * Text from a chain may hold unpaired surrogates (a `\ud800` in a schema's JSON), which UTF-8 cannot carry and SQLite
 * would replace. Such text is kept as the bytes of its UTF-16 form; any other text as text.
 */
export function encodeText(text: string): string | Uint8Array {
  return text.isWellFormed() ? text : Buffer.from(text, 'utf16le')
}

export function decodeText(value: SqlValue): string {
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf16le') : ''
}
