import { type Address, type Hash, type Hex, parseAddress, parseHash, parseHex } from '../../model/hex.ts'

/** Text of a chain in the forms of the index. Each function throws where the text has another form. */

export function hex(text: string): Hex {
  return require(parseHex(text), text)
}

export function hash(text: string): Hash {
  return require(parseHash(text), text)
}

export function lowerAddress(text: string): Address {
  return require(parseAddress(text), text)
}

function require<T>(parsed: T | null, text: string): T {
  if (parsed === null) throw new Error(`${text} has another form`)
  return parsed
}
