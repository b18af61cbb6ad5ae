import { checksumAddress } from '@attestry/core/model/checksumAddress.ts'
import type { NameDeployment } from '@attestry/core/model/indexedContract.ts'
import type { ChainOverview } from '@attestry/core/index/storedRecords.ts'

/** The deployments that are indexed on a chain, as answers have them. */
export function describeDeployments(
  { status: { chainId }, contracts }: Pick<ChainOverview, 'status' | 'contracts'>,
  nameDeployment: NameDeployment,
) {
  return contracts.map((contract) => ({
    protocol: contract.protocol,
    name: nameDeployment(chainId, contract),
    address: checksumAddress(contract.address),
    startBlock: contract.startBlock,
  }))
}
