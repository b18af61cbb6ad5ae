import {
  abiNestingMax,
  type AbiParameter,
  type AbiType,
  arrayType,
  elementaryType,
  tupleType,
} from './abiType.ts'

/**
 * Parses a list of Solidity parameters in the syntax of a function declaration, `uint8 a, (bytes32 id, string)[] b`;
 * null for any other text. Names are optional, a tuple may begin with the word `tuple`, a data location (`string memory
 * text`) is ignored, and white space may stand between any two tokens. An empty text is an empty list.
 *
 * The parser reads forward over the text once: its time is linear in the length of any text.
 */
export function parseAbiParameters(text: string): readonly AbiParameter[] | null {
  const scanner = new Scanner(text)
  scanner.skipSpace()
  if (scanner.atEnd) return []
  const parameters = parseList(scanner, 0)
  return parameters !== null && scanner.atEnd ? parameters : null
}

/** Parameters up to the first other token; at least one. Begins and ends behind white space. */
function parseList(scanner: Scanner, depth: number): AbiParameter[] | null {
  const parameters: AbiParameter[] = []
  do {
    const parameter = parseParameter(scanner, depth)
    if (parameter === null) return null
    parameters.push(parameter)
  } while (scanner.take(','))
  return parameters
}

function parseParameter(scanner: Scanner, depth: number): AbiParameter | null {
  const start = scanner.at
  const word = scanner.takeWord()
  let type = word === '' || word === 'tuple' ? parseTuple(scanner, depth) : elementaryType(word)
  while (type !== null && scanner.take('[')) {
    const digits = scanner.takeDigits()
    if (!scanner.take(']') || !isArrayLength(digits)) return null
    type = arrayType(type, digits === '' ? null : Number(digits))
  }
  if (type === null) return null
  const typeText = scanner.textSince(start)
  let name = scanner.takeWord()
  if (locations.has(name)) name = scanner.takeWord()
  // A location is a keyword of Solidity, so it names nothing.
  if (locations.has(name)) return null
  return { name, typeText, type }
}

function parseTuple(scanner: Scanner, depth: number): AbiType | null {
  if (depth >= abiNestingMax || !scanner.take('(')) return null
  const components = parseList(scanner, depth + 1)
  return components !== null && scanner.take(')') ? tupleType(components) : null
}

/** Words between a type and its name that do not affect the value. */
const locations: ReadonlySet<string> = new Set(['calldata', 'memory', 'storage', 'payable'])

/** Nothing, or a number in its usual form. Solidity has no array type of length 0; 15 digits are exact in a number. */
function isArrayLength(digits: string): boolean {
  return !digits.startsWith('0') && digits.length <= 15
}

/** A position in a text. Each token is consumed together with the white space behind it. */
class Scanner {
  readonly #text: string
  #at = 0
  /** The end of the last token, before the white space behind it. */
  #tokenEnd = 0

  constructor(text: string) {
    this.#text = text
  }

  get at(): number {
    return this.#at
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length
  }

  /** The text from `start` to the end of the last token. */
  textSince(start: number): string {
    return this.#text.slice(start, this.#tokenEnd)
  }

  skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at++
  }

  take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#finishToken(this.#at + 1)
    return true
  }

  /** An identifier of Solidity, or the empty string without one. */
  takeWord(): string {
    const start = this.#at
    let end = start
    if (isWordStart(this.#text.charCodeAt(end))) {
      do end++
      while (isWordPart(this.#text.charCodeAt(end)))
    }
    if (end > start) this.#finishToken(end)
    return this.#text.slice(start, end)
  }

  takeDigits(): string {
    const start = this.#at
    let end = start
    while (isDigit(this.#text.charCodeAt(end))) end++
    if (end > start) this.#finishToken(end)
    return this.#text.slice(start, end)
  }

  #finishToken(end: number): void {
    this.#tokenEnd = end
    this.#at = end
    this.skipSpace()
  }
}

/**
 * Space, tab, line feed, vertical tab, form feed, carriage return. At the end `charCodeAt` gives NaN, which is none of
 * these.
 */
function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13)
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** A letter, `_` or `$`. */
function isWordStart(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95 || code === 36
}

function isWordPart(code: number): boolean {
  return isWordStart(code) || isDigit(code)
}
