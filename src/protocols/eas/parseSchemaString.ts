import type { SchemaField } from '../../model/records.ts'
import { parseAbiParameters } from '../abi/parseAbiParameters.ts'

/**
 * The fields that an EAS schema's string defines: a list of Solidity parameters, `bytes32 eventId, (uint8 a, string b)[] votes`.
 * Each type stands as the string writes it; an unnamed parameter has the name `""`. What does not parse as a whole gives no fields.
 */
export function parseSchemaString(text: string): readonly SchemaField[] {
  return (parseAbiParameters(text) ?? []).map(({ name, typeText }) => ({ name, type: typeText }))
}
