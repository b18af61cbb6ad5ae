import {
  abiNestingMax,
  type AbiParameter,
  type AbiType,
  arrayType,
  ethersType,
  tupleType,
} from './abiType.ts'
import { type Cursor, peek, splitTokens, take, textSince } from './tokens.ts'

/**
 * The parameters of `func(<text>)` by `FunctionFragment.from` of ethers 6 (`abi/fragments.ts`); null if it throws. The
 * last parameter, also of a tuple, may have a trailing comma. Words between type and name are ignored, whatever the type.
 * The time is linear in the length of the text.
 */
export function parseEthers6(text: string): readonly AbiParameter[] | null {
  const replaced = replacedWords(text)
  const tokens = splitTokens(text)?.map((token) =>
    replaced.has(token.end) ? { ...token, word: token.word.slice(0, -ipfsHash.length) + 'bytes32' } : token,
  )
  if (tokens === undefined) return null
  const cursor: Cursor = { text, tokens, at: 0 }
  const parameters = takeParameters(cursor, 0)
  return cursor.at === tokens.length ? parameters : null
}

const ipfsHash = 'ipfsHash'

/** The ends of the words that the SDK replaces by `bytes32` beforehand, with whatever stands directly before them. */
function replacedWords(text: string): ReadonlySet<number> {
  if (!text.includes(ipfsHash)) return noWords
  return new Set(Array.from(text.matchAll(/ipfsHash \S+/g), ({ index }) => index + ipfsHash.length))
}

const noWords: ReadonlySet<number> = new Set()

/** The parameters up to a closing parenthesis or the end, which is left. */
function takeParameters(cursor: Cursor, depth: number): readonly AbiParameter[] | null {
  const parameters: AbiParameter[] = []
  while (!isAtEnd(cursor)) {
    const parameter = takeParameter(cursor, depth)
    if (parameter === null) return null
    parameters.push(parameter)
    if (!isAtEnd(cursor) && !take(cursor, ',')) return null
  }
  return parameters
}

function takeParameter(cursor: Cursor, depth: number): AbiParameter | null {
  const start = peek(cursor)?.start ?? 0
  let type = takeType(cursor, depth)
  while (type !== null && take(cursor, '[')) type = arrayType(type, takeLength(cursor))
  if (type === null) return null
  const typeText = textSince(cursor, start)
  return takeModifiers(cursor) ? { name: takeName(cursor), typeText, type } : null
}

function takeType(cursor: Cursor, depth: number): AbiType | null {
  const isTuple = take(cursor, 'tuple')
  if (take(cursor, '(')) {
    const components = depth < abiNestingMax ? takeParameters(cursor, depth + 1) : null
    return components !== null && take(cursor, ')') ? tupleType(components) : null
  }
  const type = isTuple ? null : ethersType(peek(cursor)?.word ?? '')
  if (type !== null) cursor.at++
  return type
}

/**
 * The length in an opened bracket. The lexer joins closing brackets to it, one or many, each with digits before it; the
 * last digits count. An opened bracket that nothing closes is one without a length.
 */
function takeLength(cursor: Cursor): number | null {
  let length: number | null = null
  for (;;) {
    const digits = peek(cursor)?.word ?? ''
    const hasDigits = /^[0-9]/.test(digits)
    if (cursor.tokens[cursor.at + (hasDigits ? 1 : 0)]?.word !== ']') return length
    cursor.at += hasDigits ? 2 : 1
    if (hasDigits) length = Number(digits)
  }
}

/** Passes over the words that may stand before a name; false if ethers throws. */
function takeModifiers(cursor: Cursor): boolean {
  const taken = new Set<string>()
  for (let word = peek(cursor)?.word ?? ''; modifiers.has(word); word = peek(cursor)?.word ?? '') {
    if (word === 'indexed' || taken.has(word)) return false
    taken.add(word)
    cursor.at++
  }
  return true
}

/** A word that is neither a keyword nor of the form of a type; empty if none is. */
function takeName(cursor: Cursor): string {
  const word = peek(cursor)?.word ?? ''
  const isName = /^[a-zA-Z$_]/.test(word) && !keywords.has(word) && !typeForm.test(word)
  if (isName) cursor.at++
  return isName ? word : ''
}

const typeForm = /^(?:address|bool|bytes[0-9]*|string|u?int[0-9]*)$/
const modifiers: ReadonlySet<string> = new Set(['calldata', 'memory', 'storage', 'payable', 'indexed'])
const keywords: ReadonlySet<string> = new Set([
  ...modifiers,
  ...['constructor', 'error', 'event', 'fallback', 'function', 'receive', 'struct', 'tuple', 'returns'],
  ...['constant', 'external', 'internal', 'private', 'public', 'pure', 'view', 'override'],
])

function isAtEnd(cursor: Cursor): boolean {
  const token = peek(cursor)
  return token === undefined || token.word === ')'
}
