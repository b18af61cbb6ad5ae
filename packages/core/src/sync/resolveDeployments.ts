import type { ChainClient } from '../chain/chainClient.ts'
import { asClause, describeError } from '../errors/baseError.ts'
import { ContractMissingError } from '../errors/contractErrors.ts'
import type { Address } from '../model/hex.ts'
import { furtherRegistries } from '../model/indexedContract.ts'
import type { ConfiguredDeployment } from '../protocols/deployments.ts'
import type { ProtocolAdapter } from '../protocols/protocolAdapter.ts'
import type { IndexWriter } from '../index/indexWriter.ts'
import type { SyncLog } from './indexedChain.ts'
import type { IndexedDeployment } from './fetchEvents.ts'
import { findFirstBlock, isFirstBlock, type FirstBlock } from './findFirstBlock.ts'

/** One deployment as it is configured, with the adapter of its protocol. */
export interface DeploymentToIndex {
  readonly deployment: ConfiguredDeployment
  readonly adapter: ProtocolAdapter
}

/**
 * Adds the first blocks that are not configured. A first block that the store remembers from an earlier run is checked
 * and used; otherwise the block is found on the chain. The store remembers the block when the chain is opened.
 * @throws ContractMissingError, retryable, if an address has no code yet.
 */
export async function resolveDeployments(
  deployments: readonly DeploymentToIndex[],
  { client, writer, log }: { client: ChainClient; writer: IndexWriter; log: SyncLog },
  signal: AbortSignal,
): Promise<readonly IndexedDeployment[]> {
  const resolved: IndexedDeployment[] = []
  for (const { deployment, adapter } of deployments) {
    const startBlock = deployment.startBlock ?? (await resolveStartBlock(deployment, adapter))
    resolved.push({ deployment: { ...deployment, startBlock }, adapter })
  }
  return resolved

  async function resolveStartBlock(
    deployment: ConfiguredDeployment,
    adapter: ProtocolAdapter,
  ): Promise<number> {
    const { protocol, chainId } = deployment
    const addresses = adapter.contractsOf({ ...deployment, startBlock: 0 })
    const remembered = (await writer.listContracts(chainId)).find(
      (contract) =>
        contract.protocol === protocol &&
        contract.address === deployment.address &&
        contract.schemaRegistry === deployment.schemaRegistry &&
        furtherRegistries.every((name) => contract[name] === deployment[name]),
    )
    if (remembered !== undefined) {
      const holds = await Promise.all(
        addresses.map((address) => isFirstBlock(client, address, remembered.startBlock, signal)),
      )
      if (!holds.includes(false)) return remembered.startBlock
    }
    const head = await client.fetchHead(signal)
    const found: number[] = []
    for (const address of addresses) found.push(await find(deployment, address, head.number))
    return Math.min(...found)
  }

  async function find(
    deployment: ConfiguredDeployment,
    address: Address,
    headBlock: number,
  ): Promise<number> {
    const { protocol, chainId, startBlockHint } = deployment
    const first = await findFirstBlock(client, address, headBlock, signal, startBlockHint)
    const facts = { chainId, address }
    switch (first.kind) {
      case 'found':
        return await settleFound(deployment, address, first)
      case 'unsure':
        log(
          'warn',
          `the first block of the ${protocol} contract ${address} cannot be found, since no endpoint tells the code at old blocks ` +
            `(${asClause(describeError(first.reason))}): indexing from block ${first.blockNumber}; startBlock under contracts would save time`,
          facts,
        )
        return first.blockNumber
      case 'noContract':
        throw new ContractMissingError(
          `no contract stands at ${address}, where ${protocol} is configured: waiting for it; if it was destroyed, spell out startBlock`,
          { retryable: true, facts },
        )
    }
  }

  /** The first block to index of a contract whose first block was found; 0 if a log says that the contract is older. */
  async function settleFound(
    { protocol, chainId, startBlockHint }: ConfiguredDeployment,
    address: Address,
    { blockNumber, certainty, hosts }: Extract<FirstBlock, { kind: 'found' }>,
  ): Promise<number> {
    const facts = { chainId, address, hosts }
    const found = `the first block of the ${protocol} contract ${address}`
    const configure = 'startBlock under contracts settles the matter'
    if (certainty === 'disputed') {
      log(
        'warn',
        `the endpoints disagree about ${found} (${hosts.join(', ')}): indexing from block ${blockNumber}, the earliest that any of them names; ${configure}`,
        facts,
      )
      return blockNumber
    }
    if (certainty === 'agreed' || blockNumber === startBlockHint) {
      log('info', `found ${found}: ${blockNumber}`, facts)
      return blockNumber
    }
    const earlier = await findEarlierLog(client, address, blockNumber, signal)
    if (earlier !== null) {
      log(
        'warn',
        `${hosts.join(', ')} takes block ${blockNumber} for ${found}, which has a log in block ${earlier}: indexing from block 0; startBlock under contracts would save time`,
        facts,
      )
      return 0
    }
    log(
      'warn',
      `found ${found}: ${blockNumber}, by the word of one endpoint (${hosts.join(', ')}): records before that block would be left out; ${configure}`,
      facts,
    )
    return blockNumber
  }
}

/**
 * The block of a log of a contract shortly before its supposed first block, as far back as one request for logs reaches;
 * null without one.
 */
async function findEarlierLog(
  client: Pick<ChainClient, 'findLog' | 'logRangeBlocks'>,
  address: Address,
  firstBlock: number,
  signal: AbortSignal,
): Promise<number | null> {
  const fromBlock = Math.max(0, firstBlock - client.logRangeBlocks())
  const filter = { addresses: [address], topics: [], fromBlock, toBlock: firstBlock - 1 }
  const { log } = await client.findLog(filter, () => true, signal)
  return log?.blockNumber ?? null
}
