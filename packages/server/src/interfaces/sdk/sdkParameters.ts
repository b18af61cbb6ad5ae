import { choiceParameter } from '../../pipeline/parameters/choiceParameter.ts'
import {
  addressFilterParameter,
  idFilterParameter,
  schemaIdParameter,
} from '../../pipeline/parameters/idParameters.ts'
import { largeSizeParameter, pageParameter } from '../../pipeline/parameters/listingParameters.ts'
import { protocolParameter } from '../../pipeline/parameters/protocolParameters.ts'
import { textParameter } from '../../pipeline/parameters/textParameters.ts'

/** The parameters of the SDK and of other clients of the same paths. Other parameters of the SDK are ignored. */
const common = {
  protocol: protocolParameter,
  mode: choiceParameter({
    name: 'mode',
    description:
      'The mode of the records: of chains, the default, or of the store of off-chain attestations.',
    choices: ['onchain', 'offchain'],
  }),
  page: pageParameter,
  size: largeSizeParameter,
} as const

export const sdkSchemaParameters = {
  id: idFilterParameter('id', 'Composite id of a schema: only this one.'),
  registrant: addressFilterParameter('registrant', 'Only schemas that this account registered.'),
  ...common,
} as const

export const sdkAttestationParameters = {
  id: idFilterParameter('id', 'Composite id of an attestation: only this one.'),
  schemaId: schemaIdParameter,
  attester: addressFilterParameter('attester', 'Only attestations that this account made.'),
  recipient: textParameter(
    'recipient',
    'Only attestations with this recipient: an address in any case, or the exact text of a recipient that is not an address; a `did:web` also under its address.',
  ),
  indexingValue: textParameter(
    'indexingValue',
    'Only attestations with exactly this indexing value; hexadecimal in any case.',
  ),
  ...common,
} as const
