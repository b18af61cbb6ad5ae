import {
  attestationFilterParameters,
  isUnknown,
} from '../../pipeline/parameters/attestationFilterParameters.ts'
import type { ParameterValues } from '../../pipeline/parameters/parameter.ts'
import { recipientNamed } from '@attestry/core/index/indexQueries.ts'
import type { ChangeFilter } from '@attestry/core/changes/changeFilter.ts'

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
