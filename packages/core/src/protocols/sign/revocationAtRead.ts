import type { RevocationAtRead } from '../../model/records.ts'
import type { DecodeContext } from '../protocolAdapter.ts'
import type { SignAttestationRecord } from './decodeSignRecord.ts'

/**
 * The greatest age of the context's head at the time of a read, in seconds. The node that answers can be ahead of that
 * head by the duration of a batch of reads. Records that were born revoked in the future have times that are years
 * ahead.
 */
const headLagMaxSeconds = 3600

/**
 * The revocation that a record shows at the time of its read. A revocation by event leaves its block's time in the
 * record. The block is the record's own or a later one, up to the state that was read. A revoked record was therefore
 * certainly born revoked if
 * 1. its revocation has no time, or one before the record was made;
 * 2. the time is beyond the newest block at the read.
 *
 * Otherwise the record's revocation is a claim: an event may explain it, or turn out to be missing.
 */
export function revocationAtRead(
  record: Pick<SignAttestationRecord, 'revoked' | 'revokeTimestamp' | 'attestTimestamp'>,
  context: Pick<DecodeContext, 'headTimestamp'>,
): RevocationAtRead {
  if (!record.revoked) return { kind: 'none' }
  const timestamp = record.revokeTimestamp
  const bornRevoked =
    timestamp === 0n ||
    timestamp < record.attestTimestamp ||
    timestamp > BigInt(context.headTimestamp + headLagMaxSeconds)
  return { kind: bornRevoked ? 'made' : 'claimed', timestamp }
}
