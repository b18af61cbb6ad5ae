import { fieldKindOf, fieldPathLengthMax, fieldPathText, type FieldPath } from '../model/fieldValues.ts'
import type { SchemaField } from '../model/records.ts'
import type { AbiParameter, AbiType } from './abi/abiType.ts'
import { parseFieldType } from './decodePayload.ts'

/**
 * The leaves of payloads of a schema, in the order of its fields. Fields of a type that no payload is decoded with have
 * none. A payload that is stored elsewhere has the one leaf `contentId` instead.
 */
export function listFieldPaths(fields: readonly SchemaField[]): FieldPath[] {
  return fields.flatMap(({ name, type: typeText }) => {
    const type = parseFieldType(typeText)
    return type === null ? [] : pathsOf([], { name, typeText, type })
  })
}

function pathsOf(parent: readonly string[], { name, typeText, type }: AbiParameter): FieldPath[] {
  const path = [...parent, name]
  if (fieldPathText(path).length > fieldPathLengthMax) return []
  const element = elementOf(type)
  if (element.kind === 'tuple') return element.components.flatMap((component) => pathsOf(path, component))
  return [{ path, kind: fieldKindOf(typeText), type: typeText }]
}

function elementOf(type: AbiType): AbiType {
  return type.kind === 'array' ? elementOf(type.element) : type
}
