/** A pattern of SQL's LIKE, to be matched in time that grows with text times pattern at most. */
export interface TextPattern {
  /** The pieces between `%`, each with null for `_`. */
  readonly pieces: readonly Piece[]
  /** Characters of text and pattern that are compared at most for one character of text. */
  readonly costPerCharacter: number
}

interface Piece {
  /** The text where the piece has no `_`. */
  readonly plain: string | null
  readonly characters: readonly (string | null)[]
}

/**
 * `%` matches any text, `_` any one character, and a backslash takes the next character as it is. A character is a code
 * point, as in PostgreSQL: an emoji is one.
 */
export function parsePattern(pattern: string): TextPattern {
  const pieces: Piece[] = []
  let characters: (string | null)[] = []
  const finish = () => {
    const plain = characters.includes(null) ? null : characters.join('')
    pieces.push({ plain, characters })
    characters = []
  }
  let isEscaped = false
  for (const character of pattern) {
    if (!isEscaped && character === '\\') {
      isEscaped = true
      continue
    }
    if (!isEscaped && character === '%') finish()
    else characters.push(!isEscaped && character === '_' ? null : character)
    isEscaped = false
  }
  finish()
  return {
    pieces,
    costPerCharacter: Math.max(
      1,
      ...pieces.map(({ plain, characters: own }) => (plain === null ? own.length : 1)),
    ),
  }
}

/** The text that the pattern equals; null if the pattern has a wildcard. */
export function plainText({ pieces }: TextPattern): string | null {
  return pieces.length === 1 ? (pieces[0]?.plain ?? null) : null
}

/** Whether the whole text matches. The first place for each piece is the best one: no way back is needed. */
export function matchesPattern(text: string, { pieces }: TextPattern): boolean {
  const first = pieces[0]
  const last = pieces.at(-1)
  if (first === undefined || last === undefined) return false
  let at = endOf(text, first, 0)
  if (at === -1 || pieces.length === 1) return at === text.length
  for (const piece of pieces.slice(1, -1)) {
    at = findEnd(text, piece, at)
    if (at === -1) return false
  }
  const start = startOfLast(text, last)
  return start >= at && endOf(text, last, start) === text.length
}

/** The end of the first match of a piece from a place on; -1 if the piece does not match. */
function findEnd(text: string, piece: Piece, from: number): number {
  if (piece.plain !== null) {
    const found = text.indexOf(piece.plain, from)
    return found === -1 ? -1 : found + piece.plain.length
  }
  for (let at = from; at <= text.length; at += widthAt(text, at)) {
    const end = endOf(text, piece, at)
    if (end !== -1) return end
  }
  return -1
}

/** The end of a piece that matches at a place; -1 if another text stands there. */
function endOf(text: string, { plain, characters }: Piece, at: number): number {
  if (plain !== null) return text.startsWith(plain, at) ? at + plain.length : -1
  let end = at
  for (const character of characters) {
    if (end >= text.length) return -1
    if (character !== null && !text.startsWith(character, end)) return -1
    end += character === null ? widthAt(text, end) : character.length
  }
  return end
}

/** The start of a piece that ends with the text; -1 if the text is too short. */
function startOfLast(text: string, { plain, characters }: Piece): number {
  if (plain !== null) return text.length - plain.length
  let at = text.length
  for (let left = characters.length; left > 0; left--) {
    if (at <= 0) return -1
    at -= at >= 2 && widthAt(text, at - 2) === 2 ? 2 : 1
  }
  return at
}

/** The units of UTF-16 of the code point at a place. */
function widthAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1
}
