/** A word, digits, or one of `()[],`, and its place in the text. */
export interface Token {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** A place among the tokens of a text. */
export interface Cursor {
  readonly text: string
  readonly tokens: readonly Token[]
  at: number
}

/**
 * The tokens of a text, between which any white space may stand; null if there is anything else. The time is linear
 * in the length of the text.
 */
export function splitTokens(text: string): readonly Token[] | null {
  const tokens: Token[] = []
  const pattern = /\s*(?:([a-zA-Z$_][a-zA-Z0-9$_]*|[0-9]+|[()[\],])|$)/y
  while (pattern.lastIndex < text.length) {
    const match = pattern.exec(text)
    if (match === null) return null
    const [whole, word] = match
    if (word === undefined) break
    const end = match.index + whole.length
    tokens.push({ word, start: end - word.length, end })
  }
  return tokens
}

export function peek({ tokens, at }: Cursor): Token | undefined {
  return tokens[at]
}

/** Passes over the next token if it is this one. */
export function take(cursor: Cursor, word: string): boolean {
  const isNext = peek(cursor)?.word === word
  if (isNext) cursor.at++
  return isNext
}

/** Passes over the next token if it matches; the empty string if it does not. */
export function takeMatch(cursor: Cursor, pattern: RegExp): string {
  const word = peek(cursor)?.word ?? ''
  if (!pattern.test(word)) return ''
  cursor.at++
  return word
}

/** The text from a place to the end of the last token that was passed. */
export function textSince({ text, tokens, at }: Cursor, start: number): string {
  return text.slice(start, tokens[at - 1]?.end)
}
