import { attestationFilterParameters, isUnknown } from '../../http/parameters/attestationFilterParameters.ts'
import type { ParameterValues } from '../../http/parameters/parameter.ts'
import { recipientNamed } from '../../store/indexQueries.ts'
import type { ChangeFilter } from '../../changes/changeFilter.ts'

const { schemaId, attester, recipient, chainId, protocol, fieldConditions } = attestationFilterParameters

/** The parameters by which clients that follow changes filter them. */
export const changeParameters = { schemaId, attester, recipient, chainId, protocol, fieldConditions } as const

/** The filter of these values; null: no indexed record can pass. */
export function changeFilterOf(values: ParameterValues<typeof changeParameters>): ChangeFilter | null {
  if (isUnknown(values.schemaId) || isUnknown(values.chainId)) return null
  return {
    schema: values.schemaId?.value ?? null,
    attester: values.attester,
    recipient: recipientNamed(values.recipient),
    chainId: values.chainId?.value ?? null,
    protocol: values.protocol,
    fields: values.fieldConditions ?? [],
  }
}
