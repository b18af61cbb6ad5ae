import {
  weakestCompleteness,
  type Completeness,
  type HeadSource,
  type HistoryStatement,
  type Verification,
} from '@attestry/core/model/chainState.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { nameDeployment } from '@attestry/core/protocols/nameDeployment.ts'
import type { ChainDigest, ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { secondsLeft } from './progress.ts'

/** A chain in the output of `attestry status --json`. */
export interface ChainSummary {
  readonly chainId: number
  readonly name: string
  /** The deployments that are indexed, each by its protocol and the name by which people know it. */
  readonly deployments: readonly { readonly protocol: ProtocolName; readonly name: string }[]
  readonly phase: string
  readonly headBlock: number | null
  /** The source of new heads. */
  readonly headSource: HeadSource
  readonly indexedBlock: number | null
  /** The percentage of the published events that are indexed, while the chain is read from chunks; null otherwise. */
  readonly fromChunks: number | null
  readonly lagBlocks: number | null
  /** Time between the newest indexed block and the head, in seconds. */
  readonly lagSeconds: number | null
  readonly eventsPerSecond: number
  /** Seconds to the head at the present rate; 0 at the head, null while unknown. */
  readonly secondsLeft: number | null
  readonly schemas: number
  readonly attestations: number
  readonly revocations: number
  readonly undecodable: number
  /** Attestations that a change of `index.fields` leaves to be indexed, or to be taken out of the index. */
  readonly fieldsPending: number
  /** Of what the chain says up to its block; docs/proofs.md, "Digest of a chain". */
  readonly digest: ChainDigest
  readonly lastError: string | null
  /** The evidence that the index has all logs: the weakest of all contracts, and that of each. */
  readonly completeness: Completeness
  readonly history: readonly HistoryStatement[]
  /** The last `attestry verify`; null before the first. */
  readonly verification: Verification | null
  /** When an indexer last reported the chain, ISO 8601; null while none has run, as after an import. */
  readonly updatedAt: string | null
}

export function summariseChain(overview: ChainOverview, blocksPerSecond: number | null): ChainSummary {
  const { status, contracts } = overview
  const { headBlock, indexedBlock, headTimestamp, indexedTimestamp } = status
  const lagBlocks = headBlock === null || indexedBlock === null ? null : Math.max(0, headBlock - indexedBlock)
  const lagSeconds =
    headTimestamp === null || indexedTimestamp === null ? null : Math.max(0, headTimestamp - indexedTimestamp)
  return {
    chainId: status.chainId,
    name: status.name,
    deployments: contracts.map((contract) => ({
      protocol: contract.protocol,
      name: nameDeployment(status.chainId, contract),
    })),
    phase: status.phase,
    headBlock,
    headSource: status.headSource,
    indexedBlock,
    fromChunks: status.fromChunks ?? null,
    lagBlocks,
    lagSeconds: lagBlocks === 0 ? 0 : lagSeconds,
    eventsPerSecond: status.eventsPerSecond,
    secondsLeft: secondsLeft({ status, startBlock: null, blocksPerSecond }),
    schemas: overview.schemaCount,
    attestations: overview.attestationCount,
    revocations: overview.revocationCount,
    undecodable: overview.undecodableCount,
    fieldsPending: overview.fieldsPending,
    digest: overview.digest,
    lastError: status.lastError,
    completeness: weakestCompleteness(overview.history),
    history: overview.history,
    verification: overview.verification,
    updatedAt: status.updatedAt === null ? null : new Date(status.updatedAt).toISOString(),
  }
}
