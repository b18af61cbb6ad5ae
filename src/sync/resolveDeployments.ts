import type { ChainClient } from '../chain/chainClient.ts'
import { asClause, describeError } from '../errors/baseError.ts'
import { ContractMissingError } from '../errors/contractErrors.ts'
import type { Address } from '../model/hex.ts'
import { furtherRegistries } from '../model/indexedContract.ts'
import type { ConfiguredDeployment } from '../protocols/deployments.ts'
import type { ProtocolAdapter } from '../protocols/protocolAdapter.ts'
import type { IndexWriter } from '../store/indexWriter.ts'
import type { SyncLog } from './indexedChain.ts'
import type { IndexedDeployment } from './fetchEvents.ts'
import { findFirstBlock, isFirstBlock } from './findFirstBlock.ts'

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
    { protocol, chainId, startBlockHint }: ConfiguredDeployment,
    address: Address,
    headBlock: number,
  ): Promise<number> {
    const first = await findFirstBlock(client, address, headBlock, signal, startBlockHint)
    const facts = { chainId, address }
    switch (first.kind) {
      case 'found':
        log(
          'info',
          `found the first block of the ${protocol} contract ${address}: ${first.blockNumber}`,
          facts,
        )
        return first.blockNumber
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
}
