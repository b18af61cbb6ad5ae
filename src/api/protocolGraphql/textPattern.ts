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

/** `%` matches any text, `_` any one character, and a backslash takes the next character as it is. */
export function parsePattern(pattern: string): TextPattern {
  const pieces: Piece[] = []
  let characters: (string | null)[] = []
  const finish = () => {
    const plain = characters.includes(null) ? null : characters.join('')
    pieces.push({ plain, characters })
    characters = []
  }
  let isEscaped = false
  for (const character of pattern.split('')) {
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

/** The text that the pattern equals; null where the pattern has a wildcard. */
export function plainText({ pieces }: TextPattern): string | null {
  return pieces.length === 1 ? (pieces[0]?.plain ?? null) : null
}

/** Whether the whole text matches. The first place for each piece is the best one: no way back is needed. */
export function matchesPattern(text: string, { pieces }: TextPattern): boolean {
  const first = pieces[0]
  const last = pieces.at(-1)
  if (first === undefined || last === undefined || !standsAt(text, first, 0)) return false
  if (pieces.length === 1) return text.length === first.characters.length
  let at = first.characters.length
  for (const piece of pieces.slice(1, -1)) {
    const found = findPiece(text, piece, at)
    if (found === -1) return false
    at = found + piece.characters.length
  }
  const end = text.length - last.characters.length
  return end >= at && standsAt(text, last, end)
}

function findPiece(text: string, piece: Piece, from: number): number {
  if (piece.plain !== null) return text.indexOf(piece.plain, from)
  for (let at = from; at + piece.characters.length <= text.length; at++) {
    if (standsAt(text, piece, at)) return at
  }
  return -1
}

function standsAt(text: string, { plain, characters }: Piece, at: number): boolean {
  if (plain !== null) return text.startsWith(plain, at)
  if (at + characters.length > text.length) return false
  return characters.every((character, index) => character === null || text[at + index] === character)
}
