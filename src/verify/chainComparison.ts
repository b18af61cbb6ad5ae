import type { ChainClient } from '../chain/chainClient.ts'
import type { Clock } from '../model/clock.ts'
import type { ChainLog } from '../protocols/protocolAdapter.ts'
import { findProtocol } from '../protocols/registry.ts'
import type { AuditedChain } from '../store/indexAudit.ts'
import { createEventSource, type EventSource, type IndexedDeployment } from '../sync/fetchEvents.ts'

/** A chain with its client. */
export interface AskedChain {
  readonly client: ChainClient
  /** Blocks behind the head that may still change. */
  readonly finality: number
  readonly transactionSenders: boolean
  readonly clock: Clock
  /** The logs that its contracts left out, as the last comparison found them. */
  unannounced: readonly ChainLog[]
}

/** The source of a chain's events for the contracts in the index, which may differ from the configured ones. */
export function openSource({ identity }: AuditedChain, asked: AskedChain): EventSource {
  const deployments = identity.contracts.flatMap((contract): IndexedDeployment[] => {
    const adapter = findProtocol(contract.protocol)
    if (adapter === null) return []
    return [{ deployment: { ...contract, chainId: identity.chainId }, adapter }]
  })
  return createEventSource(asked.client, deployments, asked)
}

/** The lowest first block of a chain's contracts in the index. */
export function firstBlockOf({ identity }: AuditedChain): number {
  const blocks = identity.contracts.map(({ startBlock }) => startBlock)
  return blocks.length === 0 ? 0 : Math.min(...blocks)
}
