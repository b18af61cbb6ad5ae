import { formatFieldType } from './formatFieldType.ts'

/**
 * The members of a tuple, or of an array of tuples, in the spelling of Solidity or as the nested JSON of Sign
 * Protocol's schemas; null for any other type. Names of members may be empty.
 */
export function tupleMembers(
  type: string,
): readonly { readonly name: string; readonly type: string }[] | null {
  const nested = nestedMembers(type)
  if (nested !== null) return nested
  const [, body] = /^\s*(?:tuple\s*)?\(([^]*)\)\s*(?:\[\d*\]\s*)*$/.exec(type) ?? []
  return body === undefined ? null : splitMembers(body).map(readMember)
}

function nestedMembers(type: string): { readonly name: string; readonly type: string }[] | null {
  // `formatFieldType` does not change text that is not such JSON.
  if (formatFieldType(type) === type) return null
  const members = JSON.parse(type) as { readonly name: string; readonly type: unknown }[]
  return members.map(({ name, type: inner }) => ({
    name,
    type: typeof inner === 'string' ? inner : JSON.stringify(inner),
  }))
}

/** Splits at the commas that stand in no inner tuple. */
function splitMembers(body: string): string[] {
  const members = ['']
  let depth = 0
  for (const character of body) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (character === ',' && depth === 0) members.push('')
    else members[members.length - 1] += character
  }
  return members
}

/** A type followed by a name; a data location such as `memory` may stand between them. */
function readMember(text: string): { readonly name: string; readonly type: string } {
  const [, type = text, rest = ''] =
    /^\s*((?:[^(\s]*\([^]*\)|[\w$]+)(?:\s*\[\s*\d*\s*\])*)\s*([^]*?)\s*$/.exec(text) ?? []
  return { type, name: rest.replace(/^(?:calldata|memory|storage|payable)\b\s*/, '') }
}
