/** Longest part of a client's text that a message repeats. */
const quotedLengthMax = 64

/**
 * A client's text as an error message may repeat it: in single quotes, cut to a bounded length, with every control, format,
 * private-use or unpaired character written as its code point, so that neither a log nor a terminal can be misled by it.
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
