import { utf8ToBytes } from '@noble/hashes/utils.js'
import { parseAddress, parseHex } from '../../model/hex.ts'
import { bytesOf, concatParts, integerBytes } from '../bytes.ts'
import type { AbiType } from './abiType.ts'

/**
 * `abi.encode` of values in JSON. Integers are JSON numbers or decimal digits, and byte strings are `0x` hex. A tuple is a
 * list, or an object by the names of its components. Returns null if a value does not fit its type.
 */
export function encodeAbiValues(types: readonly AbiType[], values: readonly unknown[]): Uint8Array | null {
  if (types.length !== values.length) return null
  const heads: Uint8Array[] = []
  const tails: Uint8Array[] = []
  let offset = 0
  const parts: { readonly part: Uint8Array; readonly dynamic: boolean }[] = []
  for (const [index, type] of types.entries()) {
    const part = encodeValue(type, values[index])
    if (part === null) return null
    parts.push({ part, dynamic: type.dynamic })
    offset += type.dynamic ? 32 : part.length
  }
  for (const { part, dynamic } of parts) {
    heads.push(dynamic ? word(BigInt(offset)) : part)
    if (!dynamic) continue
    tails.push(part)
    offset += part.length
  }
  return concatParts([...heads, ...tails])
}

function encodeValue(type: AbiType, value: unknown): Uint8Array | null {
  switch (type.kind) {
    case 'integer':
      return encodeInteger(value, type.bits, type.signed)
    case 'bool':
      return typeof value === 'boolean' ? word(value ? 1n : 0n) : null
    case 'address': {
      const address = typeof value === 'string' ? parseAddress(value) : null
      return address === null ? null : word(BigInt(address))
    }
    case 'fixedBytes': {
      const bytes = readBytes(value)
      return bytes?.length === type.size ? padRight(bytes) : null
    }
    case 'bytes': {
      const bytes = readBytes(value)
      return bytes === null ? null : concatParts([word(BigInt(bytes.length)), padRight(bytes)])
    }
    case 'string': {
      if (typeof value !== 'string') return null
      const bytes = utf8ToBytes(value)
      return concatParts([word(BigInt(bytes.length)), padRight(bytes)])
    }
    case 'array': {
      if (!Array.isArray(value) || (type.length !== null && type.length !== value.length)) return null
      const items = encodeAbiValues(
        value.map(() => type.element),
        value,
      )
      if (items === null) return null
      return type.length === null ? concatParts([word(BigInt(value.length)), items]) : items
    }
    case 'tuple': {
      const members = membersOf(
        type.components.map(({ name }) => name),
        value,
      )
      return members === null
        ? null
        : encodeAbiValues(
            type.components.map((component) => component.type),
            members,
          )
    }
  }
}

function membersOf(names: readonly string[], value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value as readonly unknown[]
  if (typeof value !== 'object' || value === null) return null
  return names.map((name) => (value as Readonly<Record<string, unknown>>)[name])
}

function encodeInteger(value: unknown, bits: number, signed: boolean): Uint8Array | null {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value)
  const isDigits = typeof value === 'string' && /^-?[0-9]{1,78}$/.test(value)
  if (!isNumber && !isDigits) return null
  const integer = BigInt(value)
  const fits = signed ? BigInt.asIntN(bits, integer) === integer : BigInt.asUintN(bits, integer) === integer
  return fits ? word(BigInt.asUintN(256, integer)) : null
}

function readBytes(value: unknown): Uint8Array | null {
  const hex = typeof value === 'string' ? parseHex(value) : null
  return hex === null ? null : bytesOf(hex)
}

function word(value: bigint): Uint8Array {
  return integerBytes(value, 32)
}

function padRight(bytes: Uint8Array): Uint8Array {
  return concatParts([bytes, new Uint8Array((32 - (bytes.length % 32)) % 32)])
}
