import type { RevocationAtRead } from '../../model/records.ts'
import type { DecodeContext } from '../protocolAdapter.ts'
import type { SignAttestationRecord } from './decodeSignRecord.ts'

/**
 * How long before the read the head that the context names may have been seen, in seconds. A node can be ahead of it by what
 * a batch of reads takes; a record that was born revoked in the future is by years, where it is at all.
 */
const headLagMaxSeconds = 3600

/**
 * What a record says of its revocation. A revocation by event leaves its block's time in the record, and that
 * block is the record's own or a later one, up to the state that was read. So a revoked record was born so for certain when
 * 1. its revocation has no time, or one before it was made;
 * 2. the time is beyond the newest block at the read.
 * In all other cases an event may have done it, or will turn out not to.
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
