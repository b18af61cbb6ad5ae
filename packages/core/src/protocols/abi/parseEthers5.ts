import {
  abiNestingMax,
  type AbiParameter,
  type AbiType,
  arrayType,
  ethersType,
  tupleType,
} from './abiType.ts'

/**
 * The parameters of `func(<text>)` by `FunctionFragment.from` of ethers 5 (`fragments.ts`); null if it or the coder
 * throws. Far more texts parse than Solidity allows: a name may hold any character but white space, comma, bracket and
 * parenthesis. `ipfsHash` anywhere in the text, names included, is `bytes32`, as EAS's SDK replaces it beforehand.
 */
export function parseEthers5(text: string): readonly AbiParameter[] | null {
  const fixed = text.replaceAll('ipfsHash', 'bytes32')
  // Line ends, gas limits and returned values end the parameters of a function there, and the text is refused.
  if (/[\n\r\u2028\u2029@]| returns /.test(fixed)) return null
  const writtenAt = placesBefore(text)
  const parameters: AbiParameter[] = []
  let start = fixed.length - fixed.trimStart().length
  for (const part of splitTopLevel(fixed.trim()) ?? [null]) {
    const node = part === null ? null : parseNode(part)
    const from = start
    const parameter =
      node && toParameter(node, (a, b) => text.slice(writtenAt(from + a), writtenAt(from + b)))
    if (parameter === null) return null
    parameters.push(parameter)
    start += (part?.length ?? 0) + 1
  }
  return parameters
}

/** The place in the text of each place in the text with `ipfsHash` replaced, which has a character less. */
function placesBefore(text: string): (place: number) => number {
  const parts = text.split('ipfsHash')
  if (parts.length === 1) return (place) => place
  const places: number[] = []
  for (const part of parts) {
    const start = places.length === 0 ? 0 : (places.at(-1) ?? 0) + 2
    for (let at = 0; at < part.length + 'bytes32'.length; at++) places.push(start + at)
  }
  return (place) => places[place] ?? text.length
}

/** The texts between the commas outside of parentheses; null if a parenthesis closes that none opened. */
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
  /** The offsets at which the type begins and ends in the text. */
  from: number
  to: number
  type: string
  name: string
  components: Node[] | null
  mayBe: { type?: boolean; name?: boolean; parameters?: boolean; array?: boolean; length?: boolean }
}

/** The state machine of ethers over one parameter; null if it throws. */
function parseNode(text: string): Node | null {
  const root = newNode(null)
  let node = root
  let depth = 0
  for (const [at, character] of text.replaceAll(/\s/g, ' ').split('').entries()) {
    const { mayBe } = node
    switch (character) {
      case '(':
        if (mayBe.type === true && node.type === '') node.type = 'tuple'
        else if (mayBe.parameters !== true) return null
        if (++depth > abiNestingMax) return null
        mayBe.type = false
        node.type = fullType(node.type)
        extendType(node, at)
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
          extendType(node, at)
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
        extendType(node, at)
        Object.assign(mayBe, { array: false, name: false, length: true })
        break
      case ']':
        if (mayBe.length !== true) return null
        node.type += character
        extendType(node, at)
        Object.assign(mayBe, { length: false, array: true, name: true })
        break
      default:
        if (mayBe.type === true) {
          node.type += character
          extendType(node, at)
          extendType(node, at)
          Object.assign(mayBe, { parameters: true, array: true })
        } else if (mayBe.name === true) {
          node.name += character
          mayBe.array = false
        } else if (mayBe.length === true) {
          node.type += character
          extendType(node, at)
          extendType(node, at)
        } else {
          return null
        }
    }
  }
  return node.parent === null && finishNode(node) ? root : null
}

function newNode(parent: Node | null): Node {
  return { parent, from: -1, to: -1, type: '', name: '', components: null, mayBe: { type: true } }
}

function extendType(node: Node, at: number): void {
  if (node.from < 0) node.from = at
  node.to = at + 1
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

/** @param written the text between two places of the node's. */
function toParameter(node: Node, written: (from: number, to: number) => string): AbiParameter | null {
  const type = toType(node.type, node.components?.map((component) => toParameter(component, written)) ?? null)
  return type === null ? null : { name: node.name, typeText: written(node.from, node.to), type }
}

function toType(text: string, components: readonly (AbiParameter | null)[] | null): AbiType | null {
  const [base = '', ...lengths] = text.split('[')
  let type = base === 'tuple' ? toTuple(components ?? []) : ethersType(base)
  for (const length of lengths) {
    if (type === null || !/^[0-9]*\]$/.test(length)) return null
    type = arrayType(type, length === ']' ? null : Number(length.slice(0, -1)))
  }
  return type
}

function toTuple(components: readonly (AbiParameter | null)[]): AbiType | null {
  const known = components.filter((component) => component !== null)
  return known.length === 0 || known.length !== components.length ? null : tupleType(known)
}
