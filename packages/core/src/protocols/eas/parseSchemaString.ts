import type { SchemaField } from '../../model/records.ts'
import { parseEthersParameters } from '../abi/parseEthersParameters.ts'

/**
 * The fields of an EAS schema string, a list of parameters as EAS's SDK takes it: `bytes32 eventId, (uint8 a, string
 * b)[] votes`. Each type stands as written; an unnamed parameter has the name `""`. Text that does not parse as a whole
 * has no fields. Apart from the adapter because the explorer's fixture parses schemas too.
 */
export function parseSchemaString(text: string): readonly SchemaField[] {
  return (parseEthersParameters(text) ?? []).map(({ name, typeText }) => ({ name, type: typeText }))
}
