import { parsePrintedParameters } from '../abi/parseEthersParameters.ts'
import { parametersOf } from '../decodePayload.ts'
import { lenientField } from '../decodeIndexedPayload.ts'
import { localIdOfUid } from '../../model/compositeId.ts'
import type { SchemaField } from '../../model/records.ts'
import { nameSchemaUid } from './easAbi.ts'
import { easAdapter } from './easAdapter.ts'
import { createDecodedDataFormat } from './formatDecodedDataJson.ts'

/** The parts of EAS that the endpoints in the dialect of easscan need. */
export const easInterface = {
  name: easAdapter.name,
  /** The uid of the schema under which schemas are named, `bytes32 schemaId,string name`. */
  nameSchemaId: localIdOfUid(nameSchemaUid),
  /** The text `decodedDataJson` of payloads under a schema with this text; never throws. */
  decodedDataFormat: createDecodedDataFormat,
  /** The names of the fields in that text, empty for those without one; null if it is always empty. */
  printedNames: (schemaText: string) => parsePrintedParameters(schemaText)?.map(({ name }) => name) ?? null,
  /** The field that the index has of payloads which only `decodedDataFormat` reads; its value is `true`. */
  lenientField,
  /** Whether the index has the fields of payloads by these fields. */
  areIndexable: (fields: readonly SchemaField[]) => typeof parametersOf(fields) !== 'string',
}
