import { noBytes, parseHex, type Hex } from '@attestry/core/model/hex.ts'

/** A member of a block or a receipt in JSON-RPC as its value in RLP. */
export type FieldKind = 'quantity' | 'bytes' | 'address' | 'hash' | 'bloom' | 'nonce'

const lengthOfKind: Readonly<Record<Exclude<FieldKind, 'quantity' | 'bytes'>, number>> = {
  address: 20,
  hash: 32,
  bloom: 256,
  nonce: 8,
}

/** The longest quantity in a header or receipt: 256 bits, and the digits that some nodes pad it with. */
const quantityDigitsMax = 64

/** The RLP bytes of a member; null if the member does not have the form of its kind. */
export function readField(value: unknown, kind: FieldKind): Hex | null {
  if (kind === 'quantity') return readQuantity(value)
  const bytes = typeof value === 'string' ? parseHex(value) : null
  if (bytes === null || kind === 'bytes') return bytes
  return hasLength(bytes, lengthOfKind[kind]) ? bytes : null
}

/** Whether a byte string has exactly `bytes` bytes. */
export function hasLength(value: Hex, bytes: number): boolean {
  return value.length === 2 + 2 * bytes
}

/** A number as its shortest bytes, as RLP requires; zero has none. */
export function quantityBytes(value: number): Hex {
  return value === 0 ? noBytes : padded(value.toString(16))
}

/** The number of its shortest bytes; null beyond 2^53 - 1, or if the bytes are not the shortest. */
export function quantityOfBytes(bytes: Hex): number | null {
  const value = bytes === noBytes ? 0 : Number(bytes)
  return Number.isSafeInteger(value) && quantityBytes(value) === bytes ? value : null
}

function readQuantity(value: unknown): Hex | null {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? quantityBytes(value) : null
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) return null
  const digits = value.slice(2).toLowerCase().replace(/^0+/, '')
  return digits.length > quantityDigitsMax ? null : digits === '' ? noBytes : padded(digits)
}

function padded(digits: string): Hex {
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}` as Hex
}
