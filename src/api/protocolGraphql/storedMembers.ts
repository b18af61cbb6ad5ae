import { parseLocalId, type LocalId } from '../../model/compositeId.ts'
import { zeroHash } from '../../model/hex.ts'
import type { StoredAttestation } from '../../store/storedRecords.ts'
import { lastMember, plainMember } from '../graphql/fields/readMember.ts'

/** Members of a stored attestation, read from its JSON without parsing all of it. */

/** From the summary. */
export const schemaIdOf = plainMember('schemaId')
export const attesterOf = plainMember('attester')
export const recipientsOf = lastMember('recipients')
const timestampOf = plainMember('attestTimestamp')

/** From the detail. */
export const validUntilOf = plainMember('validUntil')
export const dataOf = plainMember('data')

/** The local id of the schema of a row, as a key of the index. */
export function schemaIdOfRow({ stored }: { readonly stored: StoredAttestation }): LocalId {
  return parseLocalId(schemaIdOf(stored.summaryJson)) ?? (zeroHash as string as LocalId)
}

/** When an attestation was made, in Unix seconds. */
export function timeOf({ summaryJson }: StoredAttestation): number {
  return Number(timestampOf(summaryJson))
}
