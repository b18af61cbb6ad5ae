/** A type of the contract ABI, ready to be read. */
export type AbiType = AbiInteger | AbiFixedBytes | AbiPlain | AbiArray | AbiTuple

/** Computed once, when the type is made: readers need it for every value. */
interface AbiTraits {
  /** Whether a value stands in the tail, behind an offset. */
  readonly dynamic: boolean
  /** The depth of nested arrays and tuples; 0 for an elementary type. */
  readonly nesting: number
}

export interface AbiInteger extends AbiTraits {
  readonly kind: 'integer'
  readonly bits: number
  readonly signed: boolean
}

export interface AbiFixedBytes extends AbiTraits {
  readonly kind: 'fixedBytes'
  readonly size: number
}

export interface AbiPlain extends AbiTraits {
  readonly kind: 'address' | 'bool' | 'bytes' | 'string'
}

export interface AbiArray extends AbiTraits {
  readonly kind: 'array'
  readonly element: AbiType
  /** The fixed number of elements; null if each value has its own. */
  readonly length: number | null
}

export interface AbiTuple extends AbiTraits {
  readonly kind: 'tuple'
  /** Solidity knows no empty struct, ethers does. */
  readonly components: readonly AbiParameter[]
}

/** One parameter of a list, or component of a tuple. */
export interface AbiParameter {
  /** Empty if it has none. */
  readonly name: string
  /** The type in its author's spelling. */
  readonly typeText: string
  readonly type: AbiType
}

/** The greatest depth of types: far beyond any contract, and far below the limit of the call stack. */
export const abiNestingMax = 64

/** An array of a type; null if it nests too deep. */
export function arrayType(element: AbiType, length: number | null): AbiArray | null {
  if (element.nesting >= abiNestingMax) return null
  return {
    kind: 'array',
    element,
    length,
    dynamic: length === null || element.dynamic,
    nesting: element.nesting + 1,
  }
}

/** A tuple of components; null if they nest too deep. */
export function tupleType(components: readonly AbiParameter[]): AbiTuple | null {
  let dynamic = false
  let nesting = 0
  for (const { type } of components) {
    dynamic ||= type.dynamic
    nesting = Math.max(nesting, type.nesting)
  }
  if (nesting >= abiNestingMax) return null
  return { kind: 'tuple', components, dynamic, nesting: nesting + 1 }
}

/**
 * The type of an elementary name in Solidity's spelling, where `uint` is `uint256`; null for any other name. `ipfsHash`
 * is not a Solidity type: EAS's official SDK reads it as `bytes32` (`schema-encoder.ts`), and so does this function.
 */
export function elementaryType(name: string): AbiType | null {
  return elementaryTypes.get(name) ?? null
}

/** The type of an elementary name in ethers' spelling: digits may have leading zeros, and `function` is not a type. */
export function ethersType(name: string): AbiType | null {
  const [, word, digits] = /^(u?int|bytes|address|bool|string)([0-9]*)$/.exec(name) ?? []
  if (word === undefined) return null
  return elementaryType(word + digits?.replace(/^0+(?=.)/, ''))
}

/** Whether a value takes no bytes, as an array of no elements and a tuple of no members do. */
export function isEmptyType(type: AbiType): boolean {
  if (type.dynamic) return false
  if (type.kind === 'array') return type.length === 0 || isEmptyType(type.element)
  return type.kind === 'tuple' && type.components.every((component) => isEmptyType(component.type))
}

/** Whether values of two types are encoded alike and their members have the same names. */
export function isSameType(a: AbiType, b: AbiType): boolean {
  switch (a.kind) {
    case 'integer':
      return b.kind === a.kind && a.bits === b.bits && a.signed === b.signed
    case 'fixedBytes':
      return b.kind === a.kind && a.size === b.size
    case 'array':
      return b.kind === a.kind && a.length === b.length && isSameType(a.element, b.element)
    case 'tuple':
      return (
        b.kind === a.kind &&
        a.components.length === b.components.length &&
        a.components.every(({ name, type }, index) => {
          const other = b.components[index]
          return other !== undefined && name === other.name && isSameType(type, other.type)
        })
      )
    default:
      return a.kind === b.kind
  }
}

/** A type in the usual spelling; a tuple as `spellTuple` has it, by default `(uint8 a,string b)`. */
export function spellType(type: AbiType, spellTuple: (tuple: AbiTuple) => string = spellMembers): string {
  switch (type.kind) {
    case 'integer':
      return `${type.signed ? 'int' : 'uint'}${type.bits}`
    case 'fixedBytes':
      return `bytes${type.size}`
    case 'array':
      return `${spellType(type.element, spellTuple)}[${type.length ?? ''}]`
    case 'tuple':
      return spellTuple(type)
    default:
      return type.kind
  }
}

function spellMembers({ components }: AbiTuple): string {
  const members = components.map(({ name, type }) => `${spellType(type)}${name === '' ? '' : ` ${name}`}`)
  return `(${members.join(',')})`
}

const elementaryTypes: ReadonlyMap<string, AbiType> = listElementaryTypes()

function listElementaryTypes(): Map<string, AbiType> {
  const types = new Map<string, AbiType>([
    ['address', { kind: 'address', dynamic: false, nesting: 0 }],
    ['bool', { kind: 'bool', dynamic: false, nesting: 0 }],
    ['bytes', { kind: 'bytes', dynamic: true, nesting: 0 }],
    ['string', { kind: 'string', dynamic: true, nesting: 0 }],
    ['uint', integerType(256, false)],
    ['int', integerType(256, true)],
    // An address and a selector: the ABI lays it out as a bytes24.
    ['function', fixedBytesType(24)],
    ['ipfsHash', fixedBytesType(32)],
  ])
  for (let bits = 8; bits <= 256; bits += 8) {
    types.set(`uint${bits}`, integerType(bits, false))
    types.set(`int${bits}`, integerType(bits, true))
  }
  for (let size = 1; size <= 32; size++) types.set(`bytes${size}`, fixedBytesType(size))
  return types
}

function integerType(bits: number, signed: boolean): AbiInteger {
  return { kind: 'integer', bits, signed, dynamic: false, nesting: 0 }
}

function fixedBytesType(size: number): AbiFixedBytes {
  return { kind: 'fixedBytes', size, dynamic: false, nesting: 0 }
}
