import type { DecodePayload } from '@attestry/core/model/decodedPayload.ts'
import type { FeedChange } from '@attestry/core/changes/changeFilter.ts'
import type { Change } from '@attestry/core/index/indexQueries.ts'
import { describeAnchor } from '../records/describeAnchor.ts'
import { presentDecodedData } from '../records/presentDecodedData.ts'
import { protocolMember } from '../records/include.ts'
import { presentAttestation, withMembers } from '../records/presentAttestation.ts'
import { presentSchema } from '../records/presentSchema.ts'

/** The data of an event, as JSON. */
export function presentChange(change: FeedChange): string {
  switch (change.kind) {
    case 'content':
      return withMembers(
        presentAttestation(change.attestation),
        `${protocolMember(change.attestation.key)},${change.memberJson}`,
      )
    case 'attestation':
    case 'revocation':
      return withMembers(presentAttestation(change.attestation), protocolMember(change.attestation.key))
    case 'schema':
      return withMembers(presentSchema(change.schema), protocolMember(change.schema.key))
    case 'anchor':
      return JSON.stringify(describeAnchor(change.anchor))
    case 'revertedAnchor':
      return JSON.stringify({ record: 'anchor', ...describeAnchor(change.anchor) })
    case 'reverted':
      return `{"record":"${change.record}",${protocolMember(change)},${JSON.stringify(change.summary).slice(1, -1)}}`
    case 'reset':
      return '{}'
  }
}

/** The data of a hook's message: that of an event, and an attestation decoded. */
export async function presentDecodedChange(change: Change, decodePayload: DecodePayload): Promise<string> {
  if (!('attestation' in change)) return presentChange(change)
  const [decoded = ''] = await presentDecodedData([change.attestation], decodePayload)
  return withMembers(presentChange(change), decoded)
}
