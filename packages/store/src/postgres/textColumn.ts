/**
 * Text from a chain may hold what PostgreSQL's `text` cannot: a NUL, or unpaired surrogates, which UTF-8 cannot carry.
 * Such text is kept as a mark and its JSON form, where both are escapes; so is the text that begins with the mark
 * itself.
 */
const mark = '\u0001'

export function encodeText(text: string): string {
  const isPlain = text.isWellFormed() && !text.includes('\0') && !text.startsWith(mark)
  return isPlain ? text : `${mark}${JSON.stringify(text)}`
}

export function decodeText(value: string | null): string {
  if (value === null) return ''
  if (!value.startsWith(mark)) return value
  // Behind the mark stands what `encodeText` made of a string.
  return JSON.parse(value.slice(mark.length)) as string
}
