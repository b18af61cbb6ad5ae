import type { ChainClient } from '@attestry/core/chain/chainClient.ts'
import type { Clock } from '@attestry/core/model/clock.ts'
import type { ChainLog } from '@attestry/core/protocols/protocolAdapter.ts'
import { findProtocol } from '@attestry/core/protocols/registry.ts'
import type { AuditedChain } from '@attestry/core/index/indexAudit.ts'
import {
  createEventSource,
  type EventSource,
  type IndexedDeployment,
} from '@attestry/core/sync/fetchEvents.ts'

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
