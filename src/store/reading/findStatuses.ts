import type { RecordKey } from '../../model/compositeId.ts'
import type { AttestationStatus, AttestationStatuses } from '../indexQueries.ts'
import type { Reads } from '../port/reads.ts'
import { listChains } from './listChains.ts'
import { firstByProtocol, isRecord, recordKeys } from './recordKeys.ts'
import { isExpired } from './validity.ts'

/** The status of each attestation at a time, in the order of the keys; and how far the chains are indexed. */
export async function findStatuses(
  reads: Reads,
  keys: readonly RecordKey[],
  now: number,
): Promise<AttestationStatuses> {
  const [rows, chains] = await Promise.all([
    reads.firstOf<[status: AttestationStatus]>(
      "SELECT CASE WHEN a.revoke_timestamp IS NOT NULL THEN 'revoked' " +
        `WHEN ${isExpired('a', 'k.at')} THEN 'expired' ELSE 'valid' END ` +
        `FROM attestation a WHERE ${isRecord(reads.dialect, 'a', 'k')}${firstByProtocol('a')}`,
      { ...recordKeys(keys), at: { type: 'int53', values: keys.map(() => now) } },
    ),
    listChains(reads),
  ])
  return {
    statuses: rows.map((row) => row?.[0] ?? null),
    chains: chains.map(({ status: { chainId, indexedBlock, indexedTimestamp } }) => ({
      chainId,
      indexedBlock,
      indexedTimestamp,
    })),
  }
}
