import type { SchemaField } from '../../model/records.ts'
import { parseAbiParameters } from '../abi/parseAbiParameters.ts'

/**
 * The fields of an EAS schema string, a list of Solidity parameters: `bytes32 eventId, (uint8 a, string b)[] votes`.
 * Each type stands as written; an unnamed parameter has the name `""`. Text that does not parse as a whole has no
 * fields. Apart from the adapter because the explorer's fixture parses schemas too.
 */
export function parseSchemaString(text: string): readonly SchemaField[] {
  return (parseAbiParameters(text) ?? []).map(({ name, typeText }) => ({ name, type: typeText }))
}
