import type { ChainClient } from '../chain/chainClient.ts'
import type { ContractHistory } from '../model/chainState.ts'
import { registriesOf } from '../model/indexedContract.ts'
import { unixMilliseconds } from '../model/time.ts'
import type { ChainIdentity, IndexWriter } from '../index/indexWriter.ts'
import type { IndexedBlocks } from './chainStep.ts'
import { createEventSource, type EventSource, type IndexedDeployment } from './fetchEvents.ts'
import type { IndexedChain, SyncLog } from './indexedChain.ts'
import type { OpenPublished } from './publishedEvents.ts'
import { resolveDeployments, type DeploymentToIndex } from './resolveDeployments.ts'
import { findSilentDeployments } from './unannouncedRecords.ts'

/** The dependencies of a chain's indexing. */
export interface ChainParts {
  readonly chain: IndexedChain
  /** A missing first block is found on the chain. */
  readonly deployments: readonly DeploymentToIndex[]
  readonly client: ChainClient
  readonly writer: IndexWriter
  readonly log: SyncLog
  /** Finds published events of the chain; by default all are read from its endpoints. */
  readonly openPublished?: OpenPublished | undefined
}

/** An opened chain with the state of its index. */
export interface Progress {
  readonly source: EventSource
  indexed: IndexedBlocks
  /** The evidence of the completeness of the history, from an earlier run. */
  readonly history: readonly ContractHistory[]
}

/** Opens a chain in the store. If its contracts changed, reverts the blocks that are not indexed for all of them. */
export async function openProgress(
  parts: ChainParts,
  { clock, unannounced }: Pick<EventSource, 'clock' | 'unannounced'>,
  signal: AbortSignal,
): Promise<Progress> {
  const { chain, client, writer, log } = parts
  const { chainId, transactionSenders, finality } = chain
  const deployments = await resolveDeployments(parts.deployments, parts, signal)
  const identity = identityOf(chain, deployments)
  let opened = await writer.openChain(identity)
  // Findings about other contracts, or about blocks that are read again, prove nothing. Open questions are checked again,
  // since endpoints and index may have been repaired.
  const isKnown = ({ counted, sample }: ContractHistory) =>
    counted !== null || (sample !== null && (sample.kind === 'compared' || client.isAlone()))
  const history = opened.rewindTo === null ? opened.history.filter(isKnown) : []
  if (opened.rewindTo !== null) {
    const fromBlock = opened.rewindTo + 1
    const reason = 'the contracts of the chain, or what is kept of them, changed'
    log('warn', `${reason}: indexing again from block ${fromBlock}`, { chainId })
    await writer.revertBlocks(chainId, opened.rewindTo, unixMilliseconds(clock.nowMs()))
    opened = await writer.openChain(identity)
  }
  const source = createEventSource(client, deployments, { transactionSenders, finality, clock, unannounced })
  const silent = await findSilentDeployments(source, signal)
  const startBlock = Math.min(...deployments.map(({ deployment }) => deployment.startBlock))
  const blockNumber = opened.checkpoint?.blockNumber ?? startBlock - 1
  return {
    source: { ...source, silent },
    indexed: { startBlock, blockNumber, recentBlocks: opened.recentBlocks },
    history,
  }
}

function identityOf(
  { chainId, name }: IndexedChain,
  deployments: readonly IndexedDeployment[],
): ChainIdentity {
  const contracts = deployments.map(({ deployment }) => {
    const { protocol, address, schemaRegistry, startBlock } = deployment
    return { protocol, address, schemaRegistry, ...registriesOf(deployment), startBlock }
  })
  return { chainId, name, contracts }
}
