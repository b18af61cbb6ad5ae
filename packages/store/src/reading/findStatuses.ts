import type { RecordKey } from '@attestry/core/model/compositeId.ts'
import type {
  AttestationStatus,
  AttestationStatuses,
  IndexedUpTo,
} from '@attestry/core/index/indexQueries.ts'
import type { Reads } from '../port/reads.ts'
import { cutColumns, cutOfKey, type Cut } from './cut.ts'
import { listChains } from './listChains.ts'
import { firstByProtocol, isRecord, recordKeys } from './recordKeys.ts'
import type { StatementSession } from './session.ts'
import { isExpired, isRevokedAsOf } from './validity.ts'

/**
 * The status of each attestation at a time, in the order of the keys; and how far the chains are indexed. As of a moment,
 * `now` is the time of the moment.
 */
export async function findStatuses(
  { connection: reads, cut }: StatementSession,
  keys: readonly RecordKey[],
  now: number,
): Promise<AttestationStatuses> {
  const isRevoked = cut === null ? 'a.revoke_timestamp IS NOT NULL' : isRevokedAsOf('a', cutOfKey)
  const isMade = cut === null ? '' : ` AND a.id <= ${cutOfKey.upTo}`
  const [rows, chains] = await Promise.all([
    reads.firstOf<[status: AttestationStatus]>(
      `SELECT CASE WHEN ${isRevoked} THEN 'revoked' WHEN ${isExpired('a', 'k.now')} THEN 'expired' ELSE 'valid' END ` +
        `FROM attestation a WHERE ${isRecord(reads.dialect, 'a', 'k')}${isMade}${firstByProtocol('a')}`,
      {
        ...recordKeys(keys),
        ...(cut === null ? {} : cutColumns(cut, keys)),
        now: { type: 'int53', values: keys.map(() => now) },
      },
    ),
    cut === null ? listIndexed(reads) : indexedOfCut(cut),
  ])
  return { statuses: rows.map((row) => row?.[0] ?? null), chains }
}

async function listIndexed(reads: Reads): Promise<IndexedUpTo[]> {
  const chains = await listChains(reads)
  return chains.map(({ status: { chainId, indexedBlock, indexedTimestamp } }) => {
    return { chainId, indexedBlock, indexedTimestamp }
  })
}

function indexedOfCut({ chains }: Cut): IndexedUpTo[] {
  return chains.map(({ chainId, block, time }) => ({
    chainId,
    indexedBlock: block < 0 ? null : block,
    indexedTimestamp: block < 0 ? null : time,
  }))
}
