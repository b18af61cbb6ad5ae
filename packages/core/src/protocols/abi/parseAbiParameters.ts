import {
  abiNestingMax,
  type AbiParameter,
  type AbiType,
  arrayType,
  elementaryType,
  tupleType,
} from './abiType.ts'
import { type Cursor, peek, splitTokens, take, takeMatch, textSince } from './tokens.ts'

/**
 * Parses a list of Solidity parameters in the syntax of a function declaration, `uint8 a, (bytes32 id, string)[] b`;
 * null for any other text. Names are optional, a tuple may begin with the word `tuple`, a data location (`string memory
 * text`) is ignored, and white space may stand between any two tokens. An empty text is an empty list.
 *
 * The time is linear in the length of the text.
 */
export function parseAbiParameters(text: string): readonly AbiParameter[] | null {
  const tokens = foreignSpace.test(text) ? null : splitTokens(text)
  if (tokens === null || tokens.length === 0) return tokens && []
  const cursor: Cursor = { text, tokens, at: 0 }
  const parameters = parseList(cursor, 0)
  return cursor.at === tokens.length ? parameters : null
}

/** White space that Solidity does not have. */
const foreignSpace = /[^\S\t-\r ]/

/** Parameters up to the first other token; at least one. */
function parseList(cursor: Cursor, depth: number): AbiParameter[] | null {
  const parameters: AbiParameter[] = []
  do {
    const parameter = parseParameter(cursor, depth)
    if (parameter === null) return null
    parameters.push(parameter)
  } while (take(cursor, ','))
  return parameters
}

function parseParameter(cursor: Cursor, depth: number): AbiParameter | null {
  const start = peek(cursor)?.start ?? 0
  const word = takeMatch(cursor, wordPattern)
  let type = word === '' || word === 'tuple' ? parseTuple(cursor, depth) : elementaryType(word)
  while (type !== null && take(cursor, '[')) {
    const digits = takeMatch(cursor, digitsPattern)
    if (!take(cursor, ']') || !isArrayLength(digits)) return null
    type = arrayType(type, digits === '' ? null : Number(digits))
  }
  if (type === null) return null
  const typeText = textSince(cursor, start)
  let name = takeMatch(cursor, wordPattern)
  if (locations.has(name)) name = takeMatch(cursor, wordPattern)
  // A location is a keyword of Solidity, so it names nothing.
  if (locations.has(name)) return null
  return { name, typeText, type }
}

function parseTuple(cursor: Cursor, depth: number): AbiType | null {
  if (depth >= abiNestingMax || !take(cursor, '(')) return null
  const components = parseList(cursor, depth + 1)
  return components !== null && take(cursor, ')') ? tupleType(components) : null
}

const wordPattern = /^[a-zA-Z$_]/
const digitsPattern = /^[0-9]/

/** Words between a type and its name that do not affect the value. */
const locations: ReadonlySet<string> = new Set(['calldata', 'memory', 'storage', 'payable'])

/** Nothing, or a number in its usual form. Solidity has no array type of length 0; 15 digits are exact in a number. */
function isArrayLength(digits: string): boolean {
  return !digits.startsWith('0') && digits.length <= 15
}
