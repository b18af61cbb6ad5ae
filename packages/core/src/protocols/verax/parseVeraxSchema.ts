import type { SchemaField } from '../../model/records.ts'
import type { AbiParameter } from '../abi/abiType.ts'
import { parseAbiParameters } from '../abi/parseAbiParameters.ts'

/**
 * The fields of the text of a Verax schema: a list of Solidity parameters, in parentheses as a rule, `(bool isHuman,
 * uint8 score)`. A parameter may have its name first (`isHuman bool`), which Verax's own SDK turns round too. Text that
 * does not parse as a whole has no fields.
 */
export function parseVeraxSchema(text: string): readonly SchemaField[] {
  const parameters = unwrap(parseAbiParameters(text)) ?? parseTurned(text)
  return (parameters ?? []).map(({ name, typeText }) => ({ name, type: typeText }))
}

/** Parentheses around the whole text make one unnamed tuple of it, whose components are meant. */
function unwrap(parameters: readonly AbiParameter[] | null): readonly AbiParameter[] | null {
  const [only, ...others] = parameters ?? []
  return only?.name === '' && only.type.kind === 'tuple' && others.length === 0
    ? only.type.components
    : parameters
}

/** Parses the text with each parameter of two words turned round that does not parse as it is. */
function parseTurned(text: string): readonly AbiParameter[] | null {
  const [, inner] = /^\s*\((.*)\)\s*$/s.exec(text) ?? [null, text]
  const turned = (inner ?? '').split(',').map((part) => {
    const [, name, type] = /^\s*(\S+)\s+(\S+)\s*$/.exec(part) ?? []
    return name === undefined || type === undefined || parseAbiParameters(part) !== null
      ? part
      : `${type} ${name}`
  })
  return parseAbiParameters(turned.join(','))
}
