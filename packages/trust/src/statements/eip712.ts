import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import {
  type Address,
  type Hash,
  type Hex,
  parseAddress,
  parseHash,
  parseHex,
} from '@attestry/core/model/hex.ts'
import { keccak256 } from '@attestry/core/model/keccak.ts'
import { bytesOf, concatParts, integerBytes } from '@attestry/core/protocols/bytes.ts'
import { type Members, readList, readMembers, readText, UnreadableInput } from './unreadable.ts'

/**
 * Hashes of typed data (EIP-712). Values are read as JSON has them and checked on the way: a value of another
 * type was not signed.
 */

/** The fields of each struct, as `[name, type]`. */
export type StructTypes = Readonly<Record<string, readonly (readonly [name: string, type: string])[]>>

/** Most entries of a list: each takes a hash, and strangers choose the list. */
const itemsMax = 1_000

/** The hash that a signer of typed data signs. */
export function hashTypedData(domainSeparator: Uint8Array, structHash: Uint8Array): Uint8Array {
  return keccak256(concatParts([Uint8Array.of(0x19, 0x01), domainSeparator, structHash]))
}

/**
 * The hash of a struct's type and members. `path` names the struct in messages.
 * @throws UnreadableInput naming the member that does not have its type.
 */
export function hashStruct(types: StructTypes, name: string, value: unknown, path: string): Uint8Array {
  const members: Members = readMembers(value, path)
  const fields = types[name] ?? []
  const words = fields.map(([field, type]) => encodeWord(types, type, members[field], `${path}.${field}`))
  return keccak256(concatParts([keccak256(utf8ToBytes(encodeType(types, name))), ...words]))
}

/** The struct's signature, then those of the structs in its fields by their names. */
function encodeType(types: StructTypes, name: string): string {
  const [, ...others] = listStructs(types, name)
  return [name, ...others.toSorted()]
    .map((each) => `${each}(${(types[each] ?? []).map(([field, type]) => `${type} ${field}`).join(',')})`)
    .join('')
}

/** The name of a struct and those of all structs within, each once. */
export function listStructs(types: StructTypes, name: string): readonly string[] {
  const found = new Set([name])
  // The set grows meanwhile.
  for (const each of found) {
    for (const [, type] of types[each] ?? []) {
      const inner = type.replace(/\[.*/, '')
      if (Object.hasOwn(types, inner)) found.add(inner)
    }
  }
  return [...found]
}

function encodeWord(types: StructTypes, type: string, value: unknown, path: string): Uint8Array {
  const list = readListType(type)
  if (list !== null) {
    const items = readList(value, path)
    if (items.length > itemsMax) throw new UnreadableInput(`${path} has more than ${itemsMax} entries`)
    if (list.length !== null && items.length !== list.length) {
      throw new UnreadableInput(`${path} has ${items.length} entries, not ${list.length}`)
    }
    return keccak256(
      concatParts(items.map((item, index) => encodeWord(types, list.item, item, `${path}[${index}]`))),
    )
  }
  if (Object.hasOwn(types, type)) return hashStruct(types, type, value, path)
  switch (type) {
    case 'string':
      return keccak256(utf8ToBytes(readText(value, path)))
    case 'bytes':
      return keccak256(bytesOf(readBytes(value, path)))
    case 'bytes32':
      return bytesOf(readHash(value, path))
    case 'address':
      return padLeft(bytesOf(readAddress(value, path)))
    case 'bool':
      return integerBytes(readBoolean(value, path) ? 1n : 0n, 32)
    default: {
      const [, kind, digits] = /^(uint|int|bytes)([0-9]+)$/.exec(type) ?? []
      const size = Number(digits)
      if (kind === 'bytes') return readFixedBytes(value, size, path)
      if (kind === 'uint') return integerBytes(readInteger(value, size, path), 32)
      return integerBytes(BigInt.asUintN(256, readSigned(value, size, path)), 32)
    }
  }
}

/** The type of the items of a list, and its length where the type fixes it; null for a type that is no list. */
export function readListType(type: string): { readonly item: string; readonly length: number | null } | null {
  const [, item, digits] = /^(.+)\[([0-9]*)\]$/.exec(type) ?? []
  if (item === undefined) return null
  return { item, length: digits === '' ? null : Number(digits) }
}

function readFixedBytes(value: unknown, size: number, path: string): Uint8Array {
  const bytes = bytesOf(readBytes(value, path))
  if (bytes.length === size) return concatParts([bytes, new Uint8Array(32 - size)])
  throw new UnreadableInput(`${path} has ${bytes.length} bytes, not ${size}`)
}

function readSigned(value: unknown, bits: number, path: string): bigint {
  const text = typeof value === 'string' || Number.isSafeInteger(value) ? String(value) : ''
  if (/^-?[0-9]{1,78}$/.test(text) && BigInt.asIntN(bits, BigInt(text)) === BigInt(text)) return BigInt(text)
  throw new UnreadableInput(`${path} is ${value === undefined ? 'missing' : `no int${bits}`}`)
}

function padLeft(bytes: Uint8Array): Uint8Array {
  return concatParts([new Uint8Array(32 - bytes.length), bytes])
}

/**
 * An unsigned integer: a JSON number below 2^53, decimal digits, `0x` and hexadecimal digits, or a BigNumber of ethers 5
 * as JSON has it. JavaScript shows bigints with an `n` after the digits.
 * @throws UnreadableInput
 */
export function readInteger(value: unknown, bits: number, path: string): bigint {
  const plain = bigNumberHex(value) ?? value
  const isNumber = typeof plain === 'number' && Number.isSafeInteger(plain) && plain >= 0
  const isDigits = typeof plain === 'string' && /^(?:[0-9]{1,78}n?|0x[0-9a-f]{1,80})$/i.test(plain)
  if (isNumber || isDigits) {
    const integer = BigInt(String(plain).replace(/n$/, ''))
    if (integer < 1n << BigInt(bits)) return integer
  }
  throw new UnreadableInput(`${path} is ${value === undefined ? 'missing' : `no uint${bits}`}`)
}

/** `{type: "BigNumber", hex}`, or its members of an object of ethers 5. */
function bigNumberHex(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return null
  const { type, hex, _hex } = value as Members
  return type === 'BigNumber' ? hex : (_hex ?? null)
}

/** Longest list of bytes that is read: bytes in this form are signatures and hashes. */
const listedBytesMax = 4_096

/**
 * Bytes as `0x` and digits; null for an unknown form. The known forms are a list of numbers (JSON of Go and Rust), a
 * Buffer or Uint8Array of JavaScript, and the texts `HexBytes('0x…')` and `b'…'` of Python.
 */
export function toHexText(value: unknown): string | null {
  if (typeof value === 'string') return fromPython(value.trim())
  if (typeof value !== 'object' || value === null) return null
  const { type, data } = value as Members
  const listed = Array.isArray(value)
    ? value
    : type === 'Buffer' && Array.isArray(data)
      ? data
      : Object.values(value)
  const isIndexed =
    Array.isArray(value) || type === 'Buffer' || Object.keys(value).every((name, at) => name === String(at))
  if (!isIndexed || listed.length === 0 || listed.length > listedBytesMax) return null
  const bytes = listed.filter((each): each is number => Number.isInteger(each) && each >= 0 && each < 256)
  return bytes.length === listed.length ? `0x${bytesToHex(Uint8Array.from(bytes))}` : null
}

function fromPython(text: string): string | null {
  const [, hex] = /^HexBytes\((?:'|")(0x[0-9a-f]*)(?:'|")\)$/i.exec(text) ?? []
  if (hex !== undefined) return hex
  const [, , literal] = /^b('|")((?:\\x[0-9a-f]{2}|\\[\\'"nrt]|[ -[\]-~])*)\1$/i.exec(text) ?? []
  if (literal === undefined) return null
  const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }
  const characters = literal.replace(
    /\\(?:x([0-9a-f]{2})|(.))/gi,
    (_, code: string | undefined, name: string) =>
      code === undefined ? (escapes[name] ?? name) : String.fromCharCode(Number.parseInt(code, 16)),
  )
  return `0x${bytesToHex(Uint8Array.from(characters, (each) => each.charCodeAt(0)))}`
}

/** @throws UnreadableInput */
export function readBoolean(value: unknown, path: string): boolean {
  if (typeof value === 'boolean') return value
  throw new UnreadableInput(`${path} is ${value === undefined ? 'missing' : 'neither true nor false'}`)
}

/** @throws UnreadableInput */
export function readAddress(value: unknown, path: string): Address {
  return readHex(parseAddress, value, path, 'no address')
}

/** @throws UnreadableInput */
export function readHash(value: unknown, path: string): Hash {
  return readHex(parseHash, withPrefix(value), path, 'not 0x and 64 hexadecimal digits')
}

/** @throws UnreadableInput */
export function readBytes(value: unknown, path: string): Hex {
  return readHex(parseHex, withPrefix(value), path, 'no 0x bytes')
}

/** Python's `hex()` of bytes leaves out the `0x`. */
function withPrefix(value: unknown): unknown {
  const text = toHexText(value) ?? value
  return typeof text === 'string' && /^(?:[0-9a-f]{2})+$/i.test(text) ? `0x${text}` : text
}

function readHex<Kind extends string>(
  parse: (text: string) => Kind | null,
  value: unknown,
  path: string,
  fault: string,
): Kind {
  const parsed = parse(readText(value, path))
  if (parsed !== null) return parsed
  throw new UnreadableInput(`${path} is ${fault}`)
}
