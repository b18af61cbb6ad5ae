import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { FeedChange } from '@attestry/core/changes/changeFilter.ts'
import type { Change } from '@attestry/core/index/indexQueries.ts'
import type { StoredAttestation } from '@attestry/core/index/storedRecords.ts'
import { describeAnchor } from '../../records/describeAnchor.ts'
import { presentDecodedData } from '../../records/presentDecodedData.ts'
import { presentAttestation } from '../../records/presentAttestation.ts'
import { contentMembers } from '../../records/presentContent.ts'
import { presentSchema } from '../../records/presentSchema.ts'

/** The data of an event. */
export function presentChange(change: FeedChange): object {
  switch (change.kind) {
    case 'content':
      return { ...presentOne(change.attestation), ...contentMembers(change.content) }
    case 'attestation':
    case 'revocation':
      return presentOne(change.attestation)
    case 'schema':
      return { ...presentSchema(change.schema), protocol: change.schema.key.protocol }
    case 'anchor':
      return describeAnchor(change.anchor)
    case 'revertedAnchor':
      return { record: 'anchor', ...describeAnchor(change.anchor) }
    case 'reverted':
      return { record: change.record, protocol: change.protocol, ...change.summary }
    case 'reset':
      return {}
  }
}

function presentOne(attestation: StoredAttestation) {
  return { ...presentAttestation(attestation), protocol: attestation.key.protocol }
}

/** The data of a hook's message: that of an event, and an attestation decoded. */
export async function presentDecodedChange(change: Change, decodePayload: DecodePayload): Promise<object> {
  if (!('attestation' in change)) return presentChange(change)
  const [decoded] = await presentDecodedData([change.attestation], decodePayload)
  return { ...presentChange(change), ...decoded }
}
