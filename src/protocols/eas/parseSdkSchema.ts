import { abiNestingMax } from '../abi/abiType.ts'

/**
 * A parameter of a schema as version 5 of ethers reads it, which the SDK of EAS up to 0.28 is built on. Far more texts
 * parse than Solidity allows: a name may hold any character but space, comma, bracket and parenthesis.
 */
export interface SdkParameter {
  /** null for an unnamed parameter. */
  readonly name: string | null
  /** `uint256`, `bytes32[2][]`, `tuple[]`; `uint` is spelled `uint256`. */
  readonly type: string
  readonly coder: SdkCoder
}

/** How a value is encoded; `dynamic`: behind an offset. */
export type SdkCoder = { readonly dynamic: boolean } & (
  | { readonly kind: 'integer'; readonly bits: number; readonly signed: boolean }
  | { readonly kind: 'fixedBytes'; readonly size: number }
  | { readonly kind: 'bool' | 'address' | 'bytes' | 'string' }
  | { readonly kind: 'array'; readonly element: SdkCoder; readonly length: number | null }
  | { readonly kind: 'tuple'; readonly components: readonly SdkParameter[] }
)

/**
 * The parameters of the text of an EAS schema, by the parser of ethers 5 (`fragments.ts`) on `func(<text>)`; null where
 * the parser refuses the text. `ipfsHash` anywhere in the text, names included, becomes `bytes32` first, as in the SDK.
 */
export function parseSdkSchema(text: string): readonly SdkParameter[] | null {
  const fixed = text.replaceAll('ipfsHash', 'bytes32')
  // Line ends, gas limits and returned values end the parameters of a function there, and the text is refused.
  if (/[\n\r\u2028\u2029@]| returns /.test(fixed)) return null
  const parameters: SdkParameter[] = []
  for (const part of splitTopLevel(fixed.trim()) ?? [null]) {
    const node = part === null ? null : parseNode(part)
    const parameter = node === null ? null : toParameter(node)
    if (parameter === null) return null
    parameters.push(parameter)
  }
  return parameters
}

/** The texts between the commas outside of parentheses; null where a parenthesis closes that none opened. */
function splitTopLevel(text: string): string[] | null {
  const parts: string[] = []
  let start = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at))
      start = at + 1
    } else if (character === '(') {
      depth++
    } else if (character === ')' && --depth < 0) {
      return null
    }
  }
  if (start < text.length) parts.push(text.slice(start))
  return parts
}

interface Node {
  readonly parent: Node | null
  type: string
  name: string
  components: Node[] | null
  mayBe: { type?: boolean; name?: boolean; parameters?: boolean; array?: boolean; length?: boolean }
}

/** The state machine of ethers over one parameter; null where it throws. */
function parseNode(text: string): Node | null {
  const root = newNode(null)
  let node = root
  let depth = 0
  for (const character of text.replaceAll(/\s/g, ' ').split('')) {
    const { mayBe } = node
    switch (character) {
      case '(':
        if (mayBe.type === true && node.type === '') node.type = 'tuple'
        else if (mayBe.parameters !== true) return null
        if (++depth > abiNestingMax) return null
        mayBe.type = false
        node.type = fullType(node.type)
        node.components = [newNode(node)]
        node = node.components[0] ?? node
        break
      case ')':
      case ',': {
        const { parent } = node
        if (!finishNode(node) || parent === null) return null
        if (character === ',') {
          node = newNode(parent)
          parent.components?.push(node)
        } else {
          depth--
          node = parent
          Object.assign(node.mayBe, { parameters: false, name: true, array: true })
        }
        break
      }
      case ' ':
        if (mayBe.type === true && node.type !== '') {
          node.type = fullType(node.type)
          Object.assign(mayBe, { type: false, name: true, parameters: true })
        }
        if (mayBe.name === true && node.name !== '') {
          const modifier = takeModifier(node)
          if (modifier === 'refused') return null
          if (modifier === 'none') mayBe.name = false
        }
        break
      case '[':
        if (mayBe.array !== true) return null
        node.type += character
        Object.assign(mayBe, { array: false, name: false, length: true })
        break
      case ']':
        if (mayBe.length !== true) return null
        node.type += character
        Object.assign(mayBe, { length: false, array: true, name: true })
        break
      default:
        if (mayBe.type === true) {
          node.type += character
          Object.assign(mayBe, { parameters: true, array: true })
        } else if (mayBe.name === true) {
          node.name += character
          mayBe.array = false
        } else if (mayBe.length === true) {
          node.type += character
        } else {
          return null
        }
    }
  }
  return node.parent === null && finishNode(node) ? root : null
}

function newNode(parent: Node | null): Node {
  return { parent, type: '', name: '', components: null, mayBe: { type: true } }
}

function finishNode(node: Node): boolean {
  if (takeModifier(node) === 'refused') return false
  node.type = fullType(node.type)
  return true
}

const locations: ReadonlySet<string> = new Set(['calldata', 'memory', 'storage'])

/** Removes a word that stands where the name does and is no name; `refused` where the type may not have that word. */
function takeModifier(node: Node): 'taken' | 'none' | 'refused' {
  const { type, name } = node
  if (name === 'indexed') return 'refused'
  if (!locations.has(name) && name !== 'payable') return 'none'
  const isNested = type.includes('[') || type === 'tuple'
  const fits =
    name === 'payable'
      ? type === 'address'
      : type === 'bytes' || type === 'string' || (isNested && name !== 'storage')
  if (!fits) return 'refused'
  node.name = ''
  return 'taken'
}

function fullType(type: string): string {
  if (/^uint(?:$|[^1-9])/.test(type)) return `uint256${type.slice(4)}`
  return /^int(?:$|[^1-9])/.test(type) ? `int256${type.slice(3)}` : type
}

function toParameter({ name, type, components }: Node): SdkParameter | null {
  const coder = toCoder(type, components, 0)
  return coder === null ? null : { name: name === '' ? null : name, type, coder }
}

function toCoder(type: string, components: readonly Node[] | null, depth: number): SdkCoder | null {
  if (depth > abiNestingMax) return null
  const array = /^(.*)\[([0-9]*)\]$/.exec(type)
  if (array !== null) {
    const element = toCoder(array[1] ?? '', components, depth + 1)
    if (element === null) return null
    const length = array[2] === '' ? null : Number(array[2])
    return { kind: 'array', element, length, dynamic: length === null || element.dynamic }
  }
  switch (type) {
    case 'tuple': {
      const parameters = components?.map(toParameter).filter((parameter) => parameter !== null) ?? []
      if (parameters.length === 0 || parameters.length !== components?.length) return null
      return { kind: 'tuple', components: parameters, dynamic: parameters.some(({ coder }) => coder.dynamic) }
    }
    case 'bool':
    case 'address':
      return { kind: type, dynamic: false }
    case 'bytes':
    case 'string':
      return { kind: type, dynamic: true }
  }
  const [, word, digits] = /^(u?int|bytes)([0-9]*)$/.exec(type) ?? []
  const size = Number(digits || '256')
  if (word === undefined || size === 0) return null
  if (word === 'bytes') return size > 32 ? null : { kind: 'fixedBytes', size, dynamic: false }
  return size > 256 || size % 8 !== 0
    ? null
    : { kind: 'integer', bits: size, signed: word === 'int', dynamic: false }
}
