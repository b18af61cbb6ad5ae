import type { PublishedChain } from '../../chunks/manifest.ts'
import { ChunksRefusedError } from '@attestry/core/errors/chunkErrors.ts'
import { furtherRegistries } from '@attestry/core/model/indexedContract.ts'
import type { ChainConfig } from '@attestry/host/config/resolveChains.ts'

/**
 * Makes sure that a chain was published of the contracts that are configured, from the same first blocks on.
 * @throws ChunksRefusedError
 */
export function compareContracts(
  chain: Pick<ChainConfig, 'chainId' | 'deployments' | 'transactionSenders'>,
  published: PublishedChain,
  place: string,
): void {
  const { chainId, deployments, transactionSenders } = chain
  const refuse = (what: string) =>
    new ChunksRefusedError(`Chain ${chainId} cannot begin with the chunks of ${place}: ${what}`, {
      facts: { chainId },
    })
  if (transactionSenders !== published.transactionSenders) {
    const which = transactionSenders
      ? 'without the senders of transactions, which'
      : 'with the senders of transactions, which'
    throw refuse(
      `they were published ${which} transactionSenders ${transactionSenders ? 'asks for' : 'leaves out'}`,
    )
  }
  for (const deployment of deployments) {
    const { protocol, address, startBlock } = deployment
    const contract = published.contracts.find((each) => each.protocol === protocol)
    if (contract === undefined) throw refuse(`they lack ${protocol} ${address}`)
    if (contract.address !== address)
      throw refuse(`they are of ${protocol} ${contract.address}, but ${address} is configured`)
    const others = [
      ['schemaRegistry', contract.schemaRegistry, deployment.schemaRegistry] as const,
      ...furtherRegistries.map((name) => [name, contract[name] ?? null, deployment[name] ?? null] as const),
    ]
    const other = others.find(([, theirs, ours]) => theirs !== ours)
    if (other !== undefined) {
      throw refuse(
        `the ${other[0]} of ${protocol} is ${other[1] ?? 'none'} there, and ${other[2] ?? 'none'} here`,
      )
    }
    if (startBlock !== null && startBlock !== contract.startBlock) {
      throw refuse(
        `${protocol} begins at block ${contract.startBlock} there, and at block ${startBlock} here`,
      )
    }
  }
  const extra = published.contracts.find(
    ({ protocol }) => !deployments.some((each) => each.protocol === protocol),
  )
  if (extra !== undefined)
    throw refuse(`they hold ${extra.protocol} ${extra.address} too, which is not configured`)
}
