import { parseAddress } from '../../model/hex.ts'
import { valueMatchKey } from '../../model/keyword.ts'
import { detailOf, recipientsOf } from '../../model/recordJson.ts'
import type { AttestationFilter } from '../../store/indexQueries.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'

/** The filters that the SDK knows. */
export type SdkAttestationFilter = Pick<
  AttestationFilter,
  'schema' | 'attester' | 'recipient' | 'indexingValue'
>

/**
 * Whether an attestation that was found by its id passes the filters that stand beside the id. The key of an indexed
 * schema has its protocol.
 */
export function isAttestationWithin(attestation: StoredAttestation, filter: SdkAttestationFilter): boolean {
  const { schema, attester, recipient, indexingValue } = filter
  const { key } = attestation
  const { indexingValueJson } = detailOf(attestation.detail)
  return (
    (schema === null ||
      (schema.chainId === key.chainId &&
        schema.localId === attestation.schemaId &&
        (schema.protocol ?? key.protocol) === key.protocol)) &&
    (attester === null || parseAddress(attestation.attester) === attester) &&
    (recipient === null || recipientsOf(attestation).some((text) => isRecipient(text, recipient))) &&
    (indexingValue === null ||
      valueMatchKey(JSON.parse(indexingValueJson) as string) === valueMatchKey(indexingValue))
  )
}

function isRecipient(text: string, wanted: NonNullable<AttestationFilter['recipient']>): boolean {
  const address = parseAddress(text)
  if (wanted.kind === 'address') return address === wanted.address
  return address === null && valueMatchKey(text) === valueMatchKey(wanted.value)
}
