import type { ChainStatus, Defect, Verification } from '@attestry/core/model/chainState.ts'
import { unixSeconds } from '@attestry/core/model/time.ts'
import type { IndexedContract } from '@attestry/core/model/indexedContract.ts'

/** The columns of a chain that its status is made of. */
export const statusColumns =
  'c.chain_id, c.name, c.contracts_json, c.status_json, c.checkpoint_block, c.checkpoint_timestamp, c.defect_json'
export type StatusColumns = [
  chainId: number,
  name: string,
  contractsJson: string,
  statusJson: string | null,
  checkpointBlock: number | null,
  checkpointTimestamp: number | null,
  defectJson: string | null,
]

/** Findings about a chain's index, kept in `defect_json`: the members of a defect if there is one, and the verification. */
export interface ChainFindings {
  readonly defect: Defect | null
  readonly verification: Verification | null
}

export function readFindings(defectJson: string | null): ChainFindings {
  if (defectJson === null) return { defect: null, verification: null }
  const { verification = null, ...defect } = JSON.parse(defectJson) as Partial<ChainFindings & Defect>
  return { defect: 'text' in defect ? (defect as Defect) : null, verification }
}

export function writeFindings({ defect, verification }: ChainFindings): string | null {
  if (defect === null && verification === null) return null
  return JSON.stringify({ ...defect, ...(verification === null ? {} : { verification }) })
}

export function findingsOf(row: StatusColumns): ChainFindings {
  return readFindings(row[6])
}

/**
 * The freshness of a chain. Its indexed blocks come from the checkpoint, not from the saved status. A defect is
 * reported if there is no other error.
 */
export function chainStatusOf(row: StatusColumns): ChainStatus {
  const status = savedStatusOf(row)
  return { ...status, lastError: status.lastError ?? findingsOf(row).defect?.text ?? null }
}

function savedStatusOf(row: StatusColumns): ChainStatus {
  const [chainId, name, contractsJson, statusJson, indexedBlock, checkpointTimestamp] = row
  const indexedTimestamp = checkpointTimestamp === null ? null : unixSeconds(checkpointTimestamp)
  if (statusJson !== null) {
    // A status of an earlier version has neither.
    const older = { history: [], fromChunks: null }
    const saved = { ...older, ...(JSON.parse(statusJson) as Partial<ChainStatus>) } as ChainStatus
    const knownTimestamp = saved.indexedBlock === indexedBlock ? saved.indexedTimestamp : null
    const status = {
      ...saved,
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
    headSource: 'polling',
    indexedBlock,
    indexedTimestamp,
    fromChunks: null,
    reachedHead: false,
    eventsPerSecond: 0,
    blocksMended: 0,
    history: [],
    lastError: null,
    updatedAt: null,
  }
}
