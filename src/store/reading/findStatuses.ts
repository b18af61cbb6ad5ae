import type { RecordKey } from '../../model/compositeId.ts'
import type { AttestationStatus, AttestationStatuses } from '../indexQueries.ts'
import type { Reads } from '../port/reads.ts'
import { cutColumns, cutOfKey, type Cut } from './cut.ts'
import { listChains } from './listChains.ts'
import { firstByProtocol, isRecord, recordKeys } from './recordKeys.ts'
import { isExpired, isRevokedAsOf } from './validity.ts'

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

/** The same as of a moment, by whose time attestations have expired. */
export async function findStatusesAsOf(
  reads: Reads,
  cut: Cut,
  keys: readonly RecordKey[],
  now: number,
): Promise<AttestationStatuses> {
  const rows = await reads.firstOf<[status: AttestationStatus]>(
    `SELECT CASE WHEN ${isRevokedAsOf('a', cutOfKey)} THEN 'revoked' ` +
      `WHEN ${isExpired('a', 'k.now')} THEN 'expired' ELSE 'valid' END ` +
      `FROM attestation a WHERE ${isRecord(reads.dialect, 'a', 'k')} AND a.id <= ${cutOfKey.upTo}${firstByProtocol('a')}`,
    {
      ...recordKeys(keys),
      ...cutColumns(cut, keys),
      now: { type: 'int53', values: keys.map(() => now) },
    },
  )
  return {
    statuses: rows.map((row) => row?.[0] ?? null),
    chains: cut.chains.map(({ chainId, block, time }) => ({
      chainId,
      indexedBlock: block < 0 ? null : block,
      indexedTimestamp: time < 0 || block < 0 ? null : time,
    })),
  }
}
