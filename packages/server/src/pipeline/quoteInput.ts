/** Longest part of a client's text that a message repeats. */
const quotedLengthMax = 64

/**
 * A client's text in a form that an error message may repeat: in single quotes and cut to a bounded length. Every
 * control, format, private-use or unpaired character is written as its code point, so that the text cannot mislead a
 * log or terminal.
 */
export function quoteInput(text: string): string {
  const characters = [...text.slice(0, quotedLengthMax * 2)]
  const shown = characters.slice(0, quotedLengthMax).join('').replaceAll(/\p{C}/gu, escapeCharacter)
  const isCut = characters.length > quotedLengthMax || text.length > quotedLengthMax * 2
  return `'${shown}${isCut ? '…' : ''}'`
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
