/**
 * A type of the contract ABI, ready to be read. `dynamic` says whether a value stands in the tail, behind an offset; it is
 * found once, when the type is made, as readers ask for it at every value.
 */
export type AbiType =
  | { readonly kind: 'integer'; readonly bits: number; readonly signed: boolean; readonly dynamic: false }
  | { readonly kind: 'fixedBytes'; readonly size: number; readonly dynamic: false }
  | { readonly kind: 'address' | 'bool'; readonly dynamic: false }
  | { readonly kind: 'bytes' | 'string'; readonly dynamic: true }
  | AbiArray
  | AbiTuple

export interface AbiArray {
  readonly kind: 'array'
  readonly element: AbiType
  /** The number of elements that the type fixes; null where each value has its own. */
  readonly length: number | null
  readonly dynamic: boolean
}

export interface AbiTuple {
  readonly kind: 'tuple'
  /** At least one: Solidity knows no empty struct. */
  readonly components: readonly AbiParameter[]
  readonly dynamic: boolean
}

/** One parameter of a list, or component of a tuple. */
export interface AbiParameter {
  /** Empty where it has none. */
  readonly name: string
  /** The type as its author wrote it. */
  readonly typeText: string
  readonly type: AbiType
}

export function arrayType(element: AbiType, length: number | null): AbiArray {
  return { kind: 'array', element, length, dynamic: length === null || element.dynamic }
}

export function tupleType(components: readonly AbiParameter[]): AbiTuple {
  return { kind: 'tuple', components, dynamic: components.some(({ type }) => type.dynamic) }
}

/** The type of an elementary name in Solidity's spelling (`uint` is `uint256`); null for any other name. */
export function elementaryType(name: string): AbiType | null {
  return elementaryTypes.get(name) ?? null
}

const elementaryTypes: ReadonlyMap<string, AbiType> = listElementaryTypes()

function listElementaryTypes(): Map<string, AbiType> {
  const types = new Map<string, AbiType>([
    ['address', { kind: 'address', dynamic: false }],
    ['bool', { kind: 'bool', dynamic: false }],
    ['bytes', { kind: 'bytes', dynamic: true }],
    ['string', { kind: 'string', dynamic: true }],
    ['uint', { kind: 'integer', bits: 256, signed: false, dynamic: false }],
    ['int', { kind: 'integer', bits: 256, signed: true, dynamic: false }],
    // An address and a selector: the ABI lays it out as a bytes24.
    ['function', { kind: 'fixedBytes', size: 24, dynamic: false }],
  ])
  for (let bits = 8; bits <= 256; bits += 8) {
    types.set(`uint${bits}`, { kind: 'integer', bits, signed: false, dynamic: false })
    types.set(`int${bits}`, { kind: 'integer', bits, signed: true, dynamic: false })
  }
  for (let size = 1; size <= 32; size++)
    types.set(`bytes${size}`, { kind: 'fixedBytes', size, dynamic: false })
  return types
}
