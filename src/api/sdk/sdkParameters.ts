import { choiceParameter } from '../parameters/choiceParameter.ts'
import { addressFilterParameter, idFilterParameter, schemaIdParameter } from '../parameters/idParameters.ts'
import { largeSizeParameter, pageParameter } from '../parameters/listingParameters.ts'
import type { Parameter } from '../parameters/parameter.ts'
import { protocolParameter, textParameter } from '../parameters/textParameters.ts'

/** The parameters of the SDK and of other clients of the same paths. Other parameters of the SDK are ignored. */
const common = {
  protocol: undefinedAsAbsent(protocolParameter),
  mode: undefinedAsAbsent(
    choiceParameter({
      name: 'mode',
      description: 'The mode of the records. No `offchain` record is indexed.',
      choices: ['onchain', 'offchain'],
    }),
  ),
  page: undefinedAsAbsent(pageParameter),
  size: undefinedAsAbsent(largeSizeParameter),
} as const

export const sdkSchemaParameters = {
  id: undefinedAsAbsent(idFilterParameter('id', 'Composite id of a schema: only this one.')),
  registrant: undefinedAsAbsent(
    addressFilterParameter('registrant', 'Only schemas that this account registered.'),
  ),
  ...common,
} as const

export const sdkAttestationParameters = {
  id: undefinedAsAbsent(idFilterParameter('id', 'Composite id of an attestation: only this one.')),
  schemaId: undefinedAsAbsent(schemaIdParameter),
  attester: undefinedAsAbsent(
    addressFilterParameter('attester', 'Only attestations that this account made.'),
  ),
  recipient: undefinedAsAbsent(
    textParameter(
      'recipient',
      'Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address.',
    ),
  ),
  indexingValue: undefinedAsAbsent(
    textParameter(
      'indexingValue',
      'Only attestations with exactly this indexing value; hexadecimal in any case.',
    ),
  ),
  ...common,
} as const

/**
 * The same parameter, with the text `undefined` as absent: the SDK writes out members that its caller left undefined.
 */
function undefinedAsAbsent<Value>(parameter: Parameter<Value>): Parameter<Value> {
  const { absent, read } = parameter
  if (absent === null) return parameter
  return { ...parameter, read: (text) => (text === 'undefined' ? absent.value : read(text)) }
}
