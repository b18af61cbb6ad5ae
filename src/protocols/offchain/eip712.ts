import { utf8ToBytes } from '@noble/hashes/utils.js'
import { type Address, type Hash, type Hex, parseAddress, parseHash, parseHex } from '../../model/hex.ts'
import { keccak256 } from '../../model/keccak.ts'
import { bytesOf, concatParts, integerBytes } from '../bytes.ts'
import { type Members, readList, readMembers, readText, UnreadableInput } from './unreadable.ts'

/**
 * Hashes of typed data (EIP-712), for the types that off-chain attestations have. Values are read as JSON has them and
 * checked on the way: a value that is none of its type is no value that was signed.
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
 * @throws UnreadableInput naming the member that is none of its type.
 */
export function hashStruct(types: StructTypes, name: string, value: unknown, path: string): Uint8Array {
  const members: Members = readMembers(value, path)
  const fields = types[name] ?? []
  const words = fields.map(([field, type]) => encodeWord(types, type, members[field], `${path}.${field}`))
  return keccak256(concatParts([keccak256(utf8ToBytes(encodeType(types, name))), ...words]))
}

/** The struct's signature, then those of the structs in its fields. No type here has more than one of these. */
function encodeType(types: StructTypes, name: string): string {
  const fields = types[name] ?? []
  const others = fields.map(([, type]) => type.replace('[]', '')).filter((type) => type in types)
  const signature = `${name}(${fields.map(([field, type]) => `${type} ${field}`).join(',')})`
  return [signature, ...others.map((type) => encodeType(types, type))].join('')
}

function encodeWord(types: StructTypes, type: string, value: unknown, path: string): Uint8Array {
  if (type.endsWith('[]')) {
    const items = readList(value, path)
    if (items.length > itemsMax) throw new UnreadableInput(`${path} has more than ${itemsMax} entries`)
    const itemType = type.slice(0, -2)
    return keccak256(
      concatParts(items.map((item, index) => encodeWord(types, itemType, item, `${path}[${index}]`))),
    )
  }
  if (type in types) return hashStruct(types, type, value, path)
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
    default:
      return integerBytes(readInteger(value, Number(type.slice('uint'.length)), path), 32)
  }
}

function padLeft(bytes: Uint8Array): Uint8Array {
  return concatParts([new Uint8Array(32 - bytes.length), bytes])
}

/**
 * An unsigned integer: a JSON number below 2^53, or decimal digits.
 * @throws UnreadableInput
 */
export function readInteger(value: unknown, bits: number, path: string): bigint {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
  const isDigits = typeof value === 'string' && /^[0-9]{1,78}$/.test(value)
  if (isNumber || isDigits) {
    const integer = BigInt(value)
    if (integer < 1n << BigInt(bits)) return integer
  }
  throw new UnreadableInput(`${path} is ${value === undefined ? 'missing' : `no uint${bits}`}`)
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
  return readHex(parseHash, value, path, 'not 0x and 64 hexadecimal digits')
}

/** @throws UnreadableInput */
export function readBytes(value: unknown, path: string): Hex {
  return readHex(parseHex, value, path, 'no 0x bytes')
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
