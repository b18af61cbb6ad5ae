import { parseAddress } from '../../model/hex.ts'
import { valueMatchKey } from '../../model/keyword.ts'
import { detailOf, recipientsOf } from '../../model/recordJson.ts'
import { namesOfRecipient, type AttestationFilter } from '../../store/indexQueries.ts'
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
  const names = recipient && namesOfRecipient(recipient).map(valueMatchKey)
  const { indexingValueJson } = detailOf(attestation.detail)
  return (
    (schema === null ||
      (schema.chainId === key.chainId &&
        schema.localId === attestation.schemaId &&
        (schema.protocol ?? key.protocol) === key.protocol)) &&
    (attester === null || parseAddress(attestation.attester) === attester) &&
    (names === null || recipientsOf(attestation).some((text) => names.includes(valueMatchKey(text)))) &&
    (indexingValue === null ||
      valueMatchKey(JSON.parse(indexingValueJson) as string) === valueMatchKey(indexingValue))
  )
}
