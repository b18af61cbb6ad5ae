import type { ChainStatus } from '../../model/chainState.ts'
import { unixMilliseconds, unixSeconds } from '../../model/time.ts'
import type { ChainOverview, IndexReader } from '../indexReader.ts'
import type { IndexedContract } from '../indexWriter.ts'
import type { ReadSession } from './readSession.ts'

/** Every chain that the index knows, by chain id; what is indexed comes from the checkpoint, not from the saved status. */
export function listChains(session: ReadSession): Awaited<ReturnType<IndexReader['listChains']>> {
  const anchors = session.connection
    .statement<[number, string, number]>(
      'SELECT chain_id, kind, count FROM anchor_count ORDER BY chain_id, kind',
    )
    .all()
  return session.connection
    .statement<ChainColumns>(
      'SELECT chain_id, name, contracts_json, status_json, checkpoint_block, checkpoint_timestamp, schema_count, ' +
        'attestation_count, revocation_count, undecodable_count FROM chain ORDER BY chain_id',
    )
    .all()
    .map(
      (row): ChainOverview => ({
        status: statusOf(row),
        schemaCount: row[6],
        attestationCount: row[7],
        revocationCount: row[8],
        undecodableCount: row[9],
        anchorCounts: Object.fromEntries(
          anchors.filter(([chainId]) => chainId === row[0]).map(([, kind, count]) => [kind, count]),
        ),
      }),
    )
}

type ChainColumns = [
  chainId: number,
  name: string,
  contractsJson: string,
  statusJson: string | null,
  checkpointBlock: number | null,
  checkpointTimestamp: number | null,
  schemaCount: number,
  attestationCount: number,
  revocationCount: number,
  undecodableCount: number,
]

/** What an earlier version saved may lack the members that came later. */
type SavedStatus = Omit<ChainStatus, 'explorer'> & Partial<Pick<ChainStatus, 'explorer'>>

function statusOf(row: ChainColumns): ChainStatus {
  const [chainId, name, contractsJson, statusJson, indexedBlock, checkpointTimestamp] = row
  const indexedTimestamp = checkpointTimestamp === null ? null : unixSeconds(checkpointTimestamp)
  if (statusJson !== null) {
    const saved = JSON.parse(statusJson) as SavedStatus
    const knownTimestamp = saved.indexedBlock === indexedBlock ? saved.indexedTimestamp : null
    const status = {
      ...saved,
      explorer: saved.explorer ?? null,
      indexedBlock,
      indexedTimestamp: indexedTimestamp ?? knownTimestamp,
    }
    // The status is saved now and then, the checkpoint with every commit: a block that is indexed was the head once.
    if (indexedBlock === null || saved.headBlock === null || indexedBlock <= saved.headBlock) return status
    return { ...status, headBlock: indexedBlock, headTimestamp: indexedTimestamp ?? saved.headTimestamp }
  }
  const contracts = JSON.parse(contractsJson) as IndexedContract[]
  return {
    chainId,
    name,
    explorer: null,
    protocols: [...new Set(contracts.map((contract) => contract.protocol))],
    phase: 'paused',
    headBlock: null,
    headTimestamp: null,
    indexedBlock,
    indexedTimestamp,
    reachedHead: false,
    eventsPerSecond: 0,
    lastError: null,
    updatedAt: unixMilliseconds(0),
  }
}
