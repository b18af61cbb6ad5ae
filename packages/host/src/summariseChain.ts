import {
  lagOf,
  weakestCompleteness,
  type ChainStatus,
  type Completeness,
} from '@attestry/core/model/chainState.ts'
import type { ProtocolName } from '@attestry/core/model/records.ts'
import { nameDeployment } from '@attestry/core/protocols/nameDeployment.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'
import { secondsLeft } from './progress.ts'

/** A chain in the output of `attestry status --json`. */
export interface ChainSummary
  extends
    Pick<
      ChainStatus,
      | 'chainId'
      | 'name'
      | 'phase'
      | 'headBlock'
      | 'headSource'
      | 'indexedBlock'
      | 'fromChunks'
      | 'eventsPerSecond'
      | 'lastError'
    >,
    Pick<ChainOverview, 'fieldsPending' | 'digest' | 'history' | 'verification'> {
  /** The deployments that are indexed, each by its protocol and the name by which people know it. */
  readonly deployments: readonly { readonly protocol: ProtocolName; readonly name: string }[]
  readonly lagBlocks: number | null
  /** Time between the newest indexed block and the head, in seconds. */
  readonly lagSeconds: number | null
  /** Seconds to the head at the present rate; 0 at the head, null while unknown. */
  readonly secondsLeft: number | null
  readonly schemas: number
  readonly attestations: number
  readonly revocations: number
  readonly undecodable: number
  /** The weakest evidence of all contracts that the index has all logs. */
  readonly completeness: Completeness
  /** When an indexer last reported the chain, ISO 8601; null while none has run, as after an import. */
  readonly updatedAt: string | null
}

export function summariseChain(overview: ChainOverview, blocksPerSecond: number | null): ChainSummary {
  const { status, contracts } = overview
  const lag = lagOf(status)
  return {
    chainId: status.chainId,
    name: status.name,
    deployments: contracts.map((contract) => ({
      protocol: contract.protocol,
      name: nameDeployment(status.chainId, contract),
    })),
    phase: status.phase,
    headBlock: status.headBlock,
    headSource: status.headSource,
    indexedBlock: status.indexedBlock,
    fromChunks: status.fromChunks,
    lagBlocks: lag.blocks,
    lagSeconds: lag.seconds,
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
