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
  nameSchemaId: localIdOfUid(nameSchemaUid),
  decodedDataFormat: createDecodedDataFormat,
  printedNames: (schemaText: string) => parsePrintedParameters(schemaText)?.map(({ name }) => name) ?? null,
  lenientField,
  areIndexable: (fields: readonly SchemaField[]) => typeof parametersOf(fields) !== 'string',
}
